/* Files of labels: any bytes are read or refused with one line; what is read is written
 * again, and reads to the same. */
#include "tool/labels_read.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_again(const struct labels *labels)
{
	struct text first = {0}, second = {0};
	struct labels again;

	labels_write(labels, &first);
	if (labels_read_memory("again", first.data, first.length, &again))
		abort();
	labels_write(&again, &second);
	if (strcmp(first.data, second.data) != 0)
		abort();
	labels_deinit(&again);
	text_deinit(&first);
	text_deinit(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct labels labels;
	struct trm_error *error =
		labels_read_memory("input", (const char *)bytes, size, &labels);

	if (error) {
		if (!*error->message || strchr(error->message, '\n'))
			abort();
		trm_error_destroy(error);
		return 0;
	}
	check_again(&labels);
	labels_deinit(&labels);
	return 0;
}
