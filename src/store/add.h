/* Adding profiles to a database. */
#ifndef TRAMMEL_STORE_ADD_H
#define TRAMMEL_STORE_ADD_H

#include "base/table.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

struct store_add_options {
	const char *epoch; /* NULL: the day on which each run began */
	const char *label; /* NULL: none */
	const char *name;  /* what the profile is called; NULL: its path */
	uint64_t digest;   /* by which it is known again; 0: that of the file */
	bool again;        /* also if the same file is there already */
	int64_t into;      /* number of a run that the profile, of one run, is a further
			      part of: counts are added to its own; 0: a new run */
	/* Hashes of the records of a run that were kept as they are, which are then not
	 * kept again; it gets those of this profile. NULL: all are kept. */
	struct table *kept;
};

/* What was added. */
struct store_added {
	int64_t profile;
	int64_t first_run, last_run; /* `runs` of them; on a server there may be others
					between them */
	size_t runs;
	int64_t counts; /* numbers */
	char *warning;  /* of trm_read, or NULL; the caller frees it */
};

/*
 * Adds the runs of a profile, all of them or none: one transaction. Errors: those of
 * trm_read, TRM_ERROR_LIMIT if a number is too large for the database, and those of the
 * database; then nothing was added.
 */
struct trm_error *store_add(struct sql *sql, const char *path,
			    const struct store_add_options *options,
			    struct store_added *ret_added);

#endif
