/* What tools have recorded, as records of the profile: see docs/profile.md. */
#ifndef TRAMMEL_SESSION_PROFILE_TOOL_ROWS_SAVE_H
#define TRAMMEL_SESSION_PROFILE_TOOL_ROWS_SAVE_H

#include "session/profile/profile_writer.h"

/* A number of a tool's, of which only the sum is known. */
struct tool_row_number {
	const char *name;
	uint64_t number;
};

/* Writes the rows of an image. */
/* Writes rows that are not the image's own. */
void tool_rows_save_list(struct profile_writer *writer, const struct image_run *image,
			 const struct tool_rows *rows);
void tool_rows_save(struct profile_writer *writer, const struct image_run *image);

/* Writes a row with the numbers that a tool has for a function, in
 * its table "counters": those that are not 0, if there are any. */
enum { TOOL_ROW_NUMBERS_MAX = 64 };
void tool_rows_save_numbers(struct profile_writer *writer,
			    const struct module_counts *from,
			    const struct plan_function *function, const char *tool,
			    const struct tool_row_number *numbers, size_t count);

/* Adds a line for each thing that went wrong. */
void tool_rows_describe(const struct session *session, struct text *out);

#endif
