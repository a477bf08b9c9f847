/* Messages of the protocol, as the other side of a connection may send them. */
#include "protocol/frame.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read is written again, and read once more. */
static void pass_again(const Trm__Message *message)
{
	struct text out = {0};
	struct frame_reader reader = {0};
	Trm__Message *again = NULL;

	frame_add(&out, message);
	frame_put(&reader, out.data, out.length);
	trm_error_destroy(frame_next(&reader, &again));
	frame_free(again);
	frame_reader_deinit(&reader);
	text_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_reader reader = {0};
	struct trm_error *error = NULL;
	size_t at = 0;

	/* In pieces, as they come: the first byte says how large they are. */
	const size_t piece = size && data[0] ? data[0] : 1;

	while (at < size && !error) {
		size_t count = size - at < piece ? size - at : piece;

		frame_put(&reader, data + at, count);
		at += count;
		for (;;) {
			Trm__Message *message = NULL;

			error = frame_next(&reader, &message);
			if (error || !message)
				break;
			pass_again(message);
			frame_free(message);
		}
	}
	trm_error_destroy(error);
	frame_reader_deinit(&reader);
	return 0;
}
