/* Programs of the peer's names, run in the test: their main function, and files for them.
 */
#ifndef TRAMMEL_CALI_PROGRAM_H
#define TRAMMEL_CALI_PROGRAM_H

#include "profile_maker.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static inline void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

enum { PROGRAM_WORDS_MAX = 16 };

/* Runs a program with words, of three lists (NULL at their ends; the last may be NULL),
 * and what it says in ERRORS. Returns its status. */
static inline int run_program(int (*program)(int count, const char **words),
			      const char *const *front, const char *const *words,
			      const char *const *back)
{
	const char *const *const lists[] = {front, words, back};
	const char *argv[PROGRAM_WORDS_MAX] = {NULL};
	int count = 0, errors, fd, status;

	for (size_t i = 0; i < 3; i++)
		for (const char *const *word = lists[i]; word && *word; word++)
			argv[count++] = *word;
	fflush(NULL);
	errors = dup(2);
	fd = open(ERRORS, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	dup2(fd, 2);
	close(fd);
	status = program(count, argv);
	fflush(NULL);
	dup2(errors, 2);
	close(errors);
	return status;
}

#endif
