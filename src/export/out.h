/*
 * Where exports go: a descriptor, by way of a text that is written when it is long.
 */
#ifndef TRAMMEL_EXPORT_OUT_H
#define TRAMMEL_EXPORT_OUT_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct export_out {
	struct text text; /* add to this; then call export_out_drain */
	int fd;
	bool compressed;         /* as gzip */
	struct z_stream_s *zip;  /* of compressed output */
	struct trm_error *error; /* the first one of the disk; no more is written then */
};

/* Begins an output to `fd`, compressed as gzip or as it is. */
void export_out_init(struct export_out *out, int fd, bool compressed);

/* Writes the text if it is long; call it after each row. */
void export_out_drain(struct export_out *out);

/* Writes the rest and frees everything. Returns the first error. */
struct trm_error *export_out_finish(struct export_out *out)
	__attribute__((warn_unused_result));

/* Adds a name as one field of a line: bytes that end a line, and those of `odd`, as
 * `\xNN`, a backslash as two; "(no name)" for an empty one. */
void export_add_escaped(struct text *text, const char *name, const char *odd);

/* Adds a name with each byte that ends a line, and each of `odd`, replaced by `instead`.
 */
void export_add_replaced(struct text *text, const char *name, const char *odd,
			 char instead);

#endif
