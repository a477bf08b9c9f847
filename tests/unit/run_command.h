/*
 * Running commands of trammel inside a test.
 */
#ifndef TRAMMEL_TESTS_RUN_COMMAND_H
#define TRAMMEL_TESTS_RUN_COMMAND_H

#include "cli/commands.h"

/* Runs a command with `words`, which are split at spaces. Returns its exit status; the
 * caller frees what it wrote to standard output and to standard error. */
int run_command(const struct command *command, const char *words, char **ret_output,
		char **ret_errors);

/* Runs a command, and checks its exit status and all that it writes. */
void check_command(const struct command *command, const char *words, int status,
		   const char *output, const char *errors);

#endif
