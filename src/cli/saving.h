/* Profiles that other commands put into a database. */
#ifndef TRAMMEL_CLI_SAVING_H
#define TRAMMEL_CLI_SAVING_H

#include "base/error.h"

#include <stdbool.h>

/* Returns an error if profiles cannot be added to this database: it is none, or this
 * trammel was built without SQLite. Makes it if it is not there. */
struct trm_error *saving_check(const char *path);

/* Adds the profile in a file to a database. */
struct trm_error *saving_add(const char *path, const char *profile);

/* The row of a popt table for the option --db. */
#define SAVING_OPTION(variable)                                                          \
	{                                                                                \
		"db", 0, POPT_ARG_STRING, &(variable), 0,                                \
			"put the profile into this database, too (default: "             \
			"$TRAMMEL_DB)",                                                  \
			"FILE"                                                           \
	}

/* Returns the database that measurements go to: the option's or the environment's; NULL:
 * none. */
const char *saving_database(const char *given);

/* Adds the profile of a measurement to a database, which may be NULL; tells what goes
 * wrong. Returns whether nothing did. */
bool saving_finish(const char *path, const char *profile);

/* Returns arguments like these of main(), which stay as they are; passwords of databases
 * in the given ones, which all users can read, are overwritten. */
const char **saving_hide_passwords(int argc, const char **argv);

/* Returns the error for what needs a database where there is no SQLite. */
struct trm_error *saving_missing(void);

#endif
