/*
 * Command lines of the programs that take the place of LLNL Caliper's: options as those
 * have them.
 */
#ifndef TRAMMEL_CLI_CALI_OPTIONS_H
#define TRAMMEL_CLI_CALI_OPTIONS_H

#include "base/text.h"
#include "base/vector.h"

#include <stdio.h>

struct cali_option {
	const char *name;     /* NULL ends a table */
	char letter;          /* 0: none */
	const char *argument; /* what it takes; NULL: nothing */
	const char *what;
};

struct cali_words VECTOR(const char *);

/* Takes an option, by its row in the table; the argument is "" where there is none. */
typedef void (*cali_taker)(int option, const char *argument);

/*
 * --name, --name=argument, --name argument, letters together, the last one with =argument
 * or an argument behind it; what follows -- is no option. Words that are no options are
 * added to `words`. Returns the option that is in no table, or NULL.
 */
const char *cali_options_parse(const struct cali_option *table, const char **argv,
			       cali_taker take, struct cali_words *words);

/* A line for each. */
void cali_options_print(const struct cali_option *table, FILE *out);

/* Adds words with commas between them, each in the quotes that queries have, of a list
 * with one of the separators between its words. */
void cali_add_quoted(struct text *out, const char *list, const char *separators);

#endif
