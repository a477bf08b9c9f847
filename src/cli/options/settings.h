/*
 * Where options come from: each is that of the command line, else of the environment
 * (TRAMMEL_OPTIONS), else of the option file (-f), else of the user's file, else built
 * in. Options whose values add up have those of all of these.
 */
#ifndef TRAMMEL_CLI_OPTIONS_SETTINGS_H
#define TRAMMEL_CLI_OPTIONS_SETTINGS_H

#include "base/error.h"
#include "base/vector.h"

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>

enum option_source {
	OPTION_FROM_USER,
	OPTION_FROM_FILE,
	OPTION_FROM_ENVIRONMENT,
	OPTION_FROM_COMMAND,
};

struct option_setting {
	const struct poptOption *row;
	char *value; /* NULL: none was given, as to a flag */
	enum option_source source;
	char *path;  /* of a file; NULL: none */
	size_t line; /* in it */
};

struct option_settings {
	struct VECTOR(struct option_setting) all; /* those that count, lowest first */
	struct VECTOR(char *) words;              /* of the program */
};

/* Returns whether there may be options other than those of the command line, or some that
 * need all of them to be known: a file, the environment, another host. */
bool option_settings_are_needed(int argc, const char *const *argv);

/* Gathers the settings of a command. `table`: its options; `known`: those of all commands
 * that measure, which a user's file may have, too. `flags`: for poptGetContext. */
struct trm_error *option_settings_gather(const struct poptOption *table,
					 const struct poptOption *known, int argc,
					 const char **argv, unsigned int flags,
					 struct option_settings *ret_settings);
void option_settings_deinit(struct option_settings *settings);

/* Returns the value of an option by its name; NULL: it was not given. */
const char *option_settings_find(const struct option_settings *settings,
				 const char *name);

/* Returns a command line with all of them, NULL at the end, whose first word is `name`.
 * The caller frees the array and its words by option_settings_free_line. */
const char **option_settings_line(const struct option_settings *settings,
				  const char *name, int *ret_count);
void option_settings_free_line(const char **line);

/* Returns the path of the user's file, which need not be there; the caller frees it. */
char *option_settings_user_path(void);

#endif
