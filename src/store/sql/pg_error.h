/* What a server of PostgreSQL says went wrong, as one line with a remedy. */
#ifndef TRAMMEL_STORE_SQL_PG_ERROR_H
#define TRAMMEL_STORE_SQL_PG_ERROR_H

#include "base/error.h"
#include "store/sql/libpq.h"

#include <stdbool.h>

/* The error of a statement's result. `path` is the database as it is shown. */
struct trm_error *pg_error_of_result(const char *path, const PGresult *result);

/* The error of a connection that was not made. */
struct trm_error *pg_error_of_connecting(const char *path, PGconn *connection);

/* The error of a connection that is gone, or that nothing came from for so long. */
struct trm_error *pg_error_lost(const char *path);

/* Whether a result's error is that another transaction was in the way. */
bool pg_error_is_conflict(const PGresult *result);

#endif
