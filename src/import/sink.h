/*
 * The profile that an import becomes: records as docs/profile.md has them, written while
 * the file is read. Memory is needed for names and stacks.
 */
#ifndef TRAMMEL_IMPORT_SINK_H
#define TRAMMEL_IMPORT_SINK_H

#include "base/error.h"
#include "import/input.h"

#include <stdbool.h>
#include <stdint.h>

struct import_sink;

/* A function, or a region of the program's. All strings are copied. */
struct import_frame {
	const char *module;   /* path; "": not known */
	const char *function; /* or region */
	const char *file;     /* of the source; "": not known */
	uint32_t line;        /* 0: not known */
	bool region;
	uint64_t offset;  /* of the function, link-time; 0: not known */
	uint64_t address; /* of the instruction; 0: not known */
};

enum { IMPORT_DEPTH_MAX = 1000 }; /* frames of a stack that are kept, the innermost */

/* Where something was counted. */
struct import_place {
	const struct import_frame *frames; /* the innermost first; at least one */
	size_t count;
	uint64_t process, thread; /* 0: not known */
};

/* Begins a profile that is written to `fd`; `format` is that of the file. */
struct import_sink *import_sink_create(int fd, const char *format);

/* Returns the number of a type of counts, by its name and unit ("count", "nanoseconds",
 * "bytes" ...): of known ones what is made of them, of others an event. */
uint32_t import_type(struct import_sink *sink, const char *name, const char *unit);

/* Returns the number of a type that samples of an event have: it is how many, and the
 * next one is what they stand for. */
uint32_t import_event(struct import_sink *sink, const char *name, const char *unit);

/* Returns the unit of a type that has the name of one of trammel's, or of a clock's
 * event; else "count". */
const char *import_unit_of(const char *name);

/* Tells whether a type has the name of one of trammel's that is no event. */
bool import_is_known(const char *name);

/* Adds counts of one place, of types `first` to `first` + `count` - 1. */
void import_values(struct import_sink *sink, const struct import_place *place,
		   uint32_t first, const uint64_t *values, size_t count);

/* Adds calls of one function by another, whose counts of calls are given elsewhere, or
 * with `counted` are these. */
void import_arc(struct import_sink *sink, const struct import_frame *caller,
		const struct import_frame *callee, uint64_t calls, bool counted);

/* Notes the build id of a module, in hexadecimal digits. */
void import_module(struct import_sink *sink, const char *path, const char *build_id);

/* Says what was run: the command, or the program; the first one counts. */
void import_command(struct import_sink *sink, const char *command);
void import_program(struct import_sink *sink, const char *path);

/* Writes the rest. Returns the first error of the disk; an error (TRM_ERROR_FORMAT) if
 * there was nothing. Frees everything. */
struct trm_error *import_sink_finish(struct import_sink *sink,
				     const struct import_input *input)
	__attribute__((warn_unused_result));

#endif
