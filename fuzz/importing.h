/*
 * Any bytes as a file to import: refused with one line that names the place, or a
 * profile. Each format has a fuzzer of its own; this is what they have in common.
 */
#ifndef TRAMMEL_FUZZ_IMPORTING_H
#define TRAMMEL_FUZZ_IMPORTING_H

#include "import/import.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program where something did not keep its word. */
static void must(bool condition)
{
	if (!condition)
		abort();
}

static void check_error(struct trm_error *error)
{
	if (!error)
		return;
	must(strstr(error->message, "'input'") && !strchr(error->message, '\n'));
	must(strstr(error->message, "line ") || strstr(error->message, "byte ") ||
	     strstr(error->message, "unpacks"));
	trm_error_destroy(error);
}

/* Imports the bytes as a file of a format. */
static void import_bytes(const char *name, const uint8_t *data, size_t size)
{
	const struct import_options options = {.type = size % 2 ? "time" : NULL};
	const struct import_format *format = NULL;
	struct import_input input;
	struct trm_error *error = import_input_init(&input, "input", data, size);
	int fd = memfd_create("import", MFD_CLOEXEC);

	must(fd >= 0);
	check_error(error);
	if (!error) {
		for (const struct import_format *each = import_formats; each->name;
		     each++)
			each->looks(&input);
		must(!import_format_find(name, &input, &format));
		check_error(import_write(format, &input, &options, fd));
		import_input_deinit(&input);
	}
	close(fd);
}

#endif
