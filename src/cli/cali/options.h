/* Command lines of the programs that replace LLNL Caliper's tools; they take the same
 * options. */
#ifndef TRAMMEL_CLI_CALI_OPTIONS_H
#define TRAMMEL_CLI_CALI_OPTIONS_H

#include "base/text.h"
#include "base/vector.h"

#include <stdio.h>

struct cali_option {
	const char *name;     /* NULL ends a table */
	char letter;          /* 0: the option has no letter */
	const char *argument; /* name of its argument in the help; NULL: it takes no
				 argument */
	const char *what;
};

struct cali_words VECTOR(const char *);

/* Handles one option: `option` is its number in the table, `argument` its value (""
 * without one). */
typedef void (*cali_taker)(int option, const char *argument);

/* Parses --name, --name=argument, --name argument, and letters together, the last of
 * which may take =argument or the next word. Every word after -- is positional.
 * Positional words are added to `words`. Returns the first option that is not in the
 * table, or NULL. */
const char *cali_options_parse(const struct cali_option *table, const char **argv,
			       cali_taker take, struct cali_words *words);

/* A line for each. */
void cali_options_print(const struct cali_option *table, FILE *out);

/* Adds words with commas between them, each in the quotes that queries have, of a list
 * with one of the separators between its words. */
void cali_add_quoted(struct text *out, const char *list, const char *separators);

#endif
