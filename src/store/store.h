/*
 * The profile database: many runs' numbers in one file, by epoch, host, label, image,
 * function and event. docs/design/profile-database.md describes it.
 */
#ifndef TRAMMEL_STORE_STORE_H
#define TRAMMEL_STORE_STORE_H

#include "base/cleanup.h"
#include "base/error.h"
#include "store/sql/sql.h"

enum { STORE_VERSION = 1 };

/* Opens a database, `path` as the user gave it: a file or an address. Makes it with
 * SQL_CREATE if it is not there or empty; with SQL_ADD only if something is added until
 * it is closed. Errors: those of sql_open, and one if it is not a profile database, or
 * was made by a later version. */
struct trm_error *store_open(const char *path, enum sql_access access,
			     struct sql **ret_sql);

/* Makes the tables where there are none yet, before something is added. */
struct trm_error *store_prepare(struct sql *sql);

/* Computes the sums of the runs from number `from` on up to `to` anew. */
struct trm_error *store_sum_runs(struct sql *sql, int64_t from, int64_t to);

/* Deletes a run with all that belongs to it alone; names that nothing uses any more stay
 * until store_forget_unused. */
struct trm_error *store_delete_run(struct sql *sql, int64_t run);
struct trm_error *store_forget_unused(struct sql *sql);

/* The tables, in an order in which each stands behind those that it refers to; NULL at
 * the end. */
extern const char *const store_tables[];

/* Closes a database when its name goes out of scope. */
static inline void store_close_(struct sql **sql)
{
	sql_close(*sql);
}
#define scoped_store scoped(store_close_)

#endif
