/*
 * The terminal of `trammel top`: the whole screen, keys one by one.
 */
#ifndef TRAMMEL_CLI_TOP_SCREEN_H
#define TRAMMEL_CLI_TOP_SCREEN_H

#include "base/text.h"

#include <stddef.h>

/* Takes over the terminal of standard input and output; its earlier contents are
 * restored at the end, also if the process ends by exit(). */
void screen_open(void);
void screen_close(void);

/* Writes the current size of the terminal, in columns and lines. */
void screen_size(size_t *ret_columns, size_t *ret_lines);

/* Shows the lines from the top on, and `last` in the last line; the rest is empty. */
void screen_show(const struct text *lines, const char *last);

/* Returns the next typed key, 0 if there was none (cursor keys count as none), -1 if
 * the terminal is gone. */
int screen_key(void);

#endif
