/* Command lines shared by the commands that show profiles. Options are popt's tables,
 * whose `arg` points to static variables: a char * for POPT_ARG_STRING, an int for
 * POPT_ARG_NONE. An int named "help" must be among them. */
#ifndef TRAMMEL_CLI_ARGUMENTS_H
#define TRAMMEL_CLI_ARGUMENTS_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"

#include <popt.h>
#include <stdbool.h>
#include <stdint.h>

/* Positional words of the command line (not options); each string is owned. */
struct arguments_words VECTOR(char *);

/* Prints `usage` (lines, the first one "Usage: ...") and a line for each option. */
void arguments_print_help(const char *usage, const struct poptOption *options);

/* Reads the command line: options into the table's variables, all other words into
 * `words`. Errors are TRM_ERROR_USAGE. `command` is for messages. */
struct trm_error *arguments_parse(const char *command, int argc, const char **argv,
				  const struct poptOption *options,
				  struct arguments_words *words);

/* Frees the values of the options and the words in `words`, and empties both. */
void arguments_reset(const struct poptOption *options, struct arguments_words *words);

/* Finds which of the words (the array ends with NULL) the value `given` of an option
 * is; the first word if the option was not given. */
struct trm_error *arguments_choose(const char *option, const char *given,
				   const char *const *words, int *ret_index);

/* A decimal number; 0 if the option was not given. */
struct trm_error *arguments_number(const char *option, const char *given, uint64_t least,
				   uint64_t *ret_number);

/* Writes the text to standard output, through $PAGER if it has at least `screen_lines`
 * lines (0: never). */
struct trm_error *arguments_show(const struct text *text, size_t screen_lines);

/* Prints the error, if there is one, and says with which status the command ends: `done`
 * without an error. */
int arguments_status(struct trm_error *error, int done);

#endif
