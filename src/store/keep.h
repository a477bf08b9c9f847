/* Keeping a database: labels and merging. */
#ifndef TRAMMEL_STORE_KEEP_H
#define TRAMMEL_STORE_KEEP_H

#include "store/choose.h"
#include "store/store.h"

#include <stdbool.h>

/* Gives the runs in temp.chosen a label, or takes it from them; writes how many changed.
 * In a transaction of the caller's (SQL_CHANGING), in which they were chosen. */
struct trm_error *store_label(struct sql *sql, const char *label, bool take,
			      int64_t *ret_changed);

/* Adds the runs of another database, with their epochs and labels; those whose profile is
 * there already are left out. Writes how many were added, and how many left out. */
struct trm_error *store_merge(struct sql *sql, const char *other, int64_t *ret_added,
			      int64_t *ret_left);

#endif
