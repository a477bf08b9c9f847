/*
 * A file to import: its bytes, unpacked if they are gzip, and where in it a reader
 * stands.
 */
#ifndef TRAMMEL_IMPORT_INPUT_H
#define TRAMMEL_IMPORT_INPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a file; there is a 0 behind them. */
struct import_input {
	const char *path; /* for messages */
	char *bytes;
	size_t size;
	const char *at; /* where the next line begins */
	uint64_t line;  /* number of the last line that was read, from 1 on */
};

/* Reads a file. Errors: TRM_ERROR_SYSTEM: it cannot be read; TRM_ERROR_LIMIT: it has more
 * than 1 GiB, or unpacks to that much or to far more than it has; TRM_ERROR_FORMAT:
 * damaged gzip. The caller deinits the input. */
struct trm_error *import_input_read(struct import_input *input, const char *path);

/* Makes the input of bytes in memory, which are copied, or unpacked; errors likewise. */
struct trm_error *import_input_init(struct import_input *input, const char *path,
				    const void *bytes, size_t size);
void import_input_deinit(struct import_input *input);

/* Reads the next line: it is ended by a 0, without line end. NULL at the end, or if a
 * line has zeros in it (see import_input_end). */
char *import_line(struct import_input *input);

/* Returns the error for lines that end before the input does, by a zero byte; NULL. */
struct trm_error *import_input_end(const struct import_input *input);

/* Returns the error (TRM_ERROR_FORMAT) for the line that was read last. */
struct trm_error *import_fault(const struct import_input *input, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* Returns the error for what is at a place: "byte N" of the file, unpacked. */
struct trm_error *import_fault_at(const struct import_input *input, const void *place,
				  const char *format, ...)
	__attribute__((format(printf, 3, 4), warn_unused_result));

/* Reads an unsigned decimal number; false if there is none, or one of more than 64 bits.
 * `at` is put behind it. */
bool import_number(char **at, uint64_t *ret_number);

/* Reads a hexadecimal number, with 0x in front or not, likewise. */
bool import_hex(char **at, uint64_t *ret_number);

/* Replaces \xNN and \\ by what they mean, in place. */
void import_unescape(char *text);

#endif
