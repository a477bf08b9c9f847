#include "run_command.h"

#include "cli/showing.h"
#include "profile_maker.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int redirect(int to, const char *path)
{
	int old = dup(to), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0 && dup2(fd, to) == to);
	close(fd);
	return old;
}

int run_command(const struct command *command, const char *words, char **ret_output,
		char **ret_errors)
{
	const char *argv[32] = {"command"};
	char copy[512];
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	fflush(NULL);
	int old_output = redirect(1, OUTPUT), old_errors = redirect(2, ERRORS);
	int status = showing_command(command, argc, argv);

	fflush(NULL);
	dup2(old_output, 1);
	dup2(old_errors, 2);
	close(old_output);
	close(old_errors);
	*ret_output = read_text(OUTPUT);
	*ret_errors = read_text(ERRORS);
	return status;
}

void check_command(const struct command *command, const char *words, int status,
		   const char *output, const char *errors)
{
	char *got_output, *got_errors;

	assert_int_equal(run_command(command, words, &got_output, &got_errors), status);
	assert_string_equal(got_output, output);
	assert_string_equal(got_errors, errors);
	free(got_output);
	free(got_errors);
}
