/*
 * A file that appears whole or not at all: it is written under the name PATH.part, and
 * renamed when all is there. A device or a pipe is written to directly.
 */
#ifndef TRAMMEL_RECORD_OUTPUT_H
#define TRAMMEL_RECORD_OUTPUT_H

#include "base/error.h"

#include <stdbool.h>

struct trm_output {
	int fd;
	bool direct;
	char *path; /* final path of the file */
	char *part; /* path of the file while it is written */
};

/* Opens the file for writing. */
struct trm_error *trm_output_open(const char *path, struct trm_output *ret_output);

/* Ends the writing. If `error`, an error of the writing, is NULL, the file gets its
 * final name, else the written part is deleted. Returns the error with the name of the
 * file in front, or an error of closing. */
struct trm_error *trm_output_close(struct trm_output *output, struct trm_error *error)
	__attribute__((warn_unused_result));

#endif
