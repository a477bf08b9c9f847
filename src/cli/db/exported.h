/* The runs that the options of `trammel db` choose, as a profile in memory. */
#ifndef TRAMMEL_CLI_DB_EXPORTED_H
#define TRAMMEL_CLI_DB_EXPORTED_H

#include "cli/db/opening.h"

enum { EXPORTED_PATH = 32 };

/* Makes the profile. `ret_path`: EXPORTED_PATH bytes for its path, which is valid until
 * the caller closes the descriptor. */
struct trm_error *exported_open(const struct db_given *given, int *ret_fd,
				char *ret_path);

#endif
