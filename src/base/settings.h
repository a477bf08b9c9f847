/*
 * Files of settings: lines `name = value`. A value is a number, a word, a text in single
 * or double quotes, or several in brackets with commas between them; `True` and `False`
 * are "true" and "false"; in quotes a backslash stands before a quote and itself. `#`
 * begins a comment. Lines may go on in brackets. So what only assigns is the same in
 * Python.
 */
#ifndef TRAMMEL_BASE_SETTINGS_H
#define TRAMMEL_BASE_SETTINGS_H

#include "base/error.h"

#include <stddef.h>

/* Takes a setting; each of several values by itself. `line`: where it stands. An error
 * ends the reading. */
typedef struct trm_error *settings_take(void *context, const char *name,
					const char *value, size_t line);

/* Reads a file. An error, of `take`, too, tells its line. */
struct trm_error *settings_read(const char *path, settings_take *take, void *context);

/* The same of a text; `name` is for messages. */
struct trm_error *settings_read_text(const char *text, const char *name,
				     settings_take *take, void *context);

#endif
