/* Profiles that other commands put into a database. */
#ifndef TRAMMEL_CLI_SAVING_H
#define TRAMMEL_CLI_SAVING_H

#include "base/error.h"

/* Returns an error if profiles cannot be added to this database: it is none, or this
 * trammel was built without SQLite. Makes it if it is not there. */
struct trm_error *saving_check(const char *path);

/* Adds the profile in a file to a database. */
struct trm_error *saving_add(const char *path, const char *profile);

/* Returns the error for what needs a database where there is no SQLite. */
struct trm_error *saving_missing(void);

#endif
