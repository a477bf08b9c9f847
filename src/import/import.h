/*
 * Files of other measuring programs become profiles. Adding a format: its file, its line
 * in readers.h, and a row in the table of import.c.
 */
#ifndef TRAMMEL_IMPORT_IMPORT_H
#define TRAMMEL_IMPORT_IMPORT_H

#include "base/error.h"
#include "import/input.h"

#include <stddef.h>

struct import_sink;

struct import_options {
	const char *type; /* name of the numbers of a format that has none; NULL */
};

struct import_format {
	const char *name;
	const char *of; /* programs that write it */
	/* Whether a file may be one. */
	bool (*looks)(const struct import_input *input);
	/* Reads all of it. Errors (TRM_ERROR_FORMAT) name the place. */
	struct trm_error *(*read)(struct import_input *input,
				  const struct import_options *options,
				  struct import_sink *sink);
};

/* All of them; the last one has no name. */
extern const struct import_format import_formats[];

/* Finds the format by its name, or, without a name, by what the input looks like. Error
 * (TRM_ERROR_USAGE or TRM_ERROR_FORMAT): there is none. */
struct trm_error *import_format_find(const char *name, const struct import_input *input,
				     const struct import_format **ret_format);

/* Reads an input, and writes the profile that it becomes to `fd`. */
struct trm_error *import_write(const struct import_format *format,
			       struct import_input *input,
			       const struct import_options *options, int fd);

#endif
