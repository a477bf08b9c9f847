/*
 * A connection to a server of PostgreSQL: commands and their results. Nothing waits for
 * ever for a server that does not answer, if a limit is set. Statements without rows are
 * queued in a transaction (pipeline mode), so that each need not wait for the last one's
 * result.
 */
#ifndef TRAMMEL_STORE_SQL_PG_CONNECTION_H
#define TRAMMEL_STORE_SQL_PG_CONNECTION_H

#include "base/error.h"
#include "store/sql/libpq.h"

#include <stdbool.h>
#include <stddef.h>

struct pg_connection {
	PGconn *handle;
	char *address;   /* with its password */
	char *path;      /* as it is shown */
	int reply_ms;    /* how long an answer may take; -1: any time */
	size_t queued;   /* statements whose results are to come */
	bool lost;       /* nothing can be done with it any more */
	bool conflicted; /* an error was that another transaction was in the way */
};

/* Connects. `connection` has an address and a path; pg_disconnect frees them, too. */
struct trm_error *pg_connect(struct pg_connection *connection);
void pg_disconnect(struct pg_connection *connection);

/* Runs commands without parameters, separated by semicolons; writes the last result,
 * which the caller clears, unless `ret_result` is NULL. */
struct trm_error *pg_run(struct pg_connection *connection, const char *text,
			 PGresult **ret_result);

/* Reads the first column of the first row of a command's result as text, "" if there is
 * none; `size` bytes at most. */
struct trm_error *pg_read(struct pg_connection *connection, const char *text,
			  char *ret_text, size_t size);

/* Prepares a statement; writes what it is: the types of its parameters. */
struct trm_error *pg_prepare(struct pg_connection *connection, const char *name,
			     const char *text, PGresult **ret_described);

/* Parameters of a prepared statement. */
struct pg_parameters {
	int count;
	const char *const *values;
	const int *lengths, *formats;
};

/* Runs a prepared statement and writes its result, which the caller clears; or queues it:
 * then errors come from a later call. */
struct trm_error *pg_execute(struct pg_connection *connection, const char *name,
			     const struct pg_parameters *parameters,
			     PGresult **ret_result);
struct trm_error *pg_queue(struct pg_connection *connection, const char *name,
			   const struct pg_parameters *parameters);

/* Waits for what is queued; all others do so first. */
struct trm_error *pg_drain(struct pg_connection *connection);

#endif
