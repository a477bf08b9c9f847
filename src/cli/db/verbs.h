/* What follows `trammel db`: a table of verbs, in two files. */
#ifndef TRAMMEL_CLI_DB_VERBS_H
#define TRAMMEL_CLI_DB_VERBS_H

#include "cli/db/opening.h"

struct db_verb {
	const char *name, *usage;
	struct trm_error *(*run)(const struct db_given *given, int *ret_status);
	size_t least, most; /* arguments */
};

/* The verbs, ending with one without a name: those that ask, those that need the code,
 * too, and those that change. */
extern const struct db_verb db_questions[], db_calculations[], db_changes[];

#endif
