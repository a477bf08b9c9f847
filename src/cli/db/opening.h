/* The command line of `trammel db`: the database and runs that it means, and how it shows
 * what it is told. */
#ifndef TRAMMEL_CLI_DB_OPENING_H
#define TRAMMEL_CLI_DB_OPENING_H

#include "cli/showing.h"
#include "store/answer.h"
#include "store/choose.h"
#include "store/sql/sql.h"

/* The command line. */
struct db_given {
	struct showing shown; /* words: the verb and its arguments */
	char *db, *epoch, *label, *event, *image, *host, *run, *function, *by, *output;
	char *fold, *hours_after, *months_after, *compact_after, *remove_after, *keep,
		*now;
	char *ghz;
	int estimate, again, repair, take, dry;
};

/* Opens the database and chooses: both as the options say. The caller closes it. */
struct trm_error *db_open(const struct db_given *given, enum sql_access access,
			  struct sql **ret_sql);
struct trm_error *db_choose(struct sql *sql, const struct db_given *given);

/* Prints an answer as the options say: a table, or one JSON object whose list is `name`.
 */
struct trm_error *db_show_answer(const struct db_given *given,
				 const struct answer *answer, const char *name);

/* Returns the database that the options or the environment name; an error without one. */
struct trm_error *db_path(const struct db_given *given, const char **ret_path);

#endif
