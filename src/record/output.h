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
	char *path; /* what it will be called */
	char *part; /* what is open */
};

/* Opens the file for writing. */
struct trm_error *trm_output_open(const char *path, struct trm_output *ret_output);

/* Ends the writing. `error` is what went wrong with it, NULL if nothing did: then the
 * file gets its name, else what was written is deleted. Returns what went wrong, with the
 * name of the file in front. */
struct trm_error *trm_output_close(struct trm_output *output, struct trm_error *error)
	__attribute__((warn_unused_result));

#endif
