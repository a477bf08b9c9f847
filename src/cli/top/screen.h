/*
 * The terminal of `trammel top`: the whole screen, keys one by one.
 */
#ifndef TRAMMEL_CLI_TOP_SCREEN_H
#define TRAMMEL_CLI_TOP_SCREEN_H

#include "base/text.h"

#include <stddef.h>

/* Takes the terminal of standard input and output; what was on it comes back at the end,
 * also if the process ends by exit(). */
void screen_open(void);
void screen_close(void);

/* Its size now. */
void screen_size(size_t *ret_columns, size_t *ret_lines);

/* Shows the lines from the top on, and `last` in the last line; the rest is empty. */
void screen_show(const struct text *lines, const char *last);

/* The next key that was typed, 0 if there is none: for cursor keys nothing. -1: the
 * terminal is gone. */
int screen_key(void);

#endif
