#include "store/sql/pg_connection.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "store/sql/pg_error.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	QUEUED_MAX = 200,      /* so few that their results fit into a socket */
	VERSION_LEAST = 100000 /* columns that number themselves */
};

/* Names and values are as they are, whatever the server's configuration says. Statements
 * are short: compiling them first takes longer. */
static const char settings[] =
	"SET search_path TO trammel, pg_temp; SET bytea_output TO hex;"
	"SET client_min_messages TO error; SET jit TO off; SET lock_timeout TO 60000;"
	"SET work_mem TO '64MB'; SET standard_conforming_strings TO on";

static void say_nothing(void *context, const char *message)
{
	(void)context;
	(void)message;
}

/* In UTF-8 names of any bytes can be written; a database that has no encoding takes all
 * bytes. */
static struct trm_error *check_server(const struct pg_connection *connection)
{
	const char *encoding =
		libpq.PQparameterStatus(connection->handle, "server_encoding");

	if (libpq.PQserverVersion(connection->handle) < VERSION_LEAST)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"'%s': the server is too old: PostgreSQL 10 or "
					"later is needed",
					connection->path);
	if (encoding && strcmp(encoding, "UTF8") && strcmp(encoding, "SQL_ASCII"))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"'%s' has the encoding %s: 'createdb -T "
					"template0 -E UTF8' makes one that can hold all "
					"names",
					connection->path, encoding);
	return NULL;
}

static struct trm_error *check_address(const struct pg_connection *connection)
{
	char *why = NULL;
	PQconninfoOption *options = libpq.PQconninfoParse(connection->address, &why);

	/* What is wrong is not told by libpq's words: they hold the address. */
	free(why);
	if (options) {
		libpq.PQconninfoFree(options);
		return NULL;
	}
	return trm_error_create(
		TRM_ERROR_USAGE,
		"'%s' is no address of a database: "
		"postgresql://[USER@]HOST[:PORT]/NAME, with %%40 for an @ "
		"in a name or password",
		connection->path);
}

struct trm_error *pg_connect(struct pg_connection *connection)
{
	/* What stands behind the address cannot be changed by it. */
	static const char *const keys[] = {"connect_timeout",
					   "tcp_user_timeout",
					   "keepalives_idle",
					   "fallback_application_name",
					   "dbname",
					   "client_encoding",
					   NULL};
	const char *const values[array_count(keys)] = {
		"10", "20000", "20", "trammel", connection->address, "UTF8", NULL};
	struct trm_error *error;

	TRM_TRY(libpq_load());
	TRM_TRY(check_address(connection));
	connection->handle = libpq.PQconnectdbParams(keys, values, 1);
	if (!connection->handle || libpq.PQstatus(connection->handle) != CONNECTION_OK) {
		error = pg_error_of_connecting(connection->path, connection->handle);
		if (connection->handle)
			libpq.PQfinish(take_pointer(connection->handle));
		return error;
	}
	libpq.PQsetNoticeProcessor(connection->handle, say_nothing, NULL);
	libpq.PQsetnonblocking(connection->handle, 1);
	connection->lost = false;
	connection->queued = 0;
	TRM_TRY(check_server(connection));
	return pg_run(connection, settings, NULL);
}

void pg_disconnect(struct pg_connection *connection)
{
	if (connection->handle)
		libpq.PQfinish(take_pointer(connection->handle));
	free(take_pointer(connection->address));
	free(take_pointer(connection->path));
}

/* Sends what is to be sent, and waits until there is a result. */
static bool await_result(struct pg_connection *connection)
{
	for (;;) {
		const int unsent = libpq.PQflush(connection->handle);
		struct pollfd end = {.fd = libpq.PQsocket(connection->handle),
				     .events = unsent ? POLLIN | POLLOUT : POLLIN};

		if (unsent < 0 || end.fd < 0)
			return true; /* the result says why */
		if (!unsent && !libpq.PQisBusy(connection->handle))
			return true;
		const int ready = poll(&end, 1, connection->reply_ms);

		if (!ready || (ready < 0 && errno != EINTR))
			return false;
		if (ready > 0 && !libpq.PQconsumeInput(connection->handle))
			return true;
	}
}

/* The next result; NULL: there is no more, or the connection is lost. */
static PGresult *take_result(struct pg_connection *connection)
{
	if (connection->lost)
		return NULL;
	if (!await_result(connection)) {
		connection->lost = true;
		return NULL;
	}
	PGresult *result = libpq.PQgetResult(connection->handle);

	if (libpq.PQstatus(connection->handle) == CONNECTION_BAD && !result)
		connection->lost = true;
	return result;
}

static bool is_failure(const PGresult *result)
{
	const ExecStatusType status = libpq.PQresultStatus(result);

	return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE ||
	       status == PGRES_NONFATAL_ERROR;
}

static struct trm_error *error_of(struct pg_connection *connection,
				  const PGresult *result)
{
	const bool bad = libpq.PQstatus(connection->handle) == CONNECTION_BAD;

	connection->lost |= bad;
	connection->conflicted |= pg_error_is_conflict(result);
	return bad && !(result && libpq.PQresultErrorField(result, PG_DIAG_SQLSTATE))
		       ? pg_error_lost(connection->path)
		       : pg_error_of_result(connection->path, result);
}

/* All results of a command; the last one is kept. */
static struct trm_error *collect_results(struct pg_connection *connection,
					 PGresult **ret_result)
{
	struct trm_error *error = NULL;
	PGresult *result, *last = NULL;

	while ((result = take_result(connection))) {
		if (is_failure(result) && !error)
			error = error_of(connection, result);
		libpq.PQclear(last);
		last = result;
	}
	if (!error && (connection->lost || !last))
		error = pg_error_lost(connection->path);
	if (error || !ret_result)
		libpq.PQclear(last);
	else
		*ret_result = last;
	return error;
}

/* The error of what could not even be sent. */
static struct trm_error *unsent_error(struct pg_connection *connection)
{
	connection->lost = true;
	return pg_error_lost(connection->path);
}

struct trm_error *pg_run(struct pg_connection *connection, const char *text,
			 PGresult **ret_result)
{
	TRM_TRY(pg_drain(connection));
	if (connection->lost || !libpq.PQsendQuery(connection->handle, text))
		return unsent_error(connection);
	return collect_results(connection, ret_result);
}

struct trm_error *pg_read(struct pg_connection *connection, const char *text,
			  char *ret_text, size_t size)
{
	PGresult *result;

	TRM_TRY(pg_run(connection, text, &result));
	snprintf(ret_text, size, "%s",
		 libpq.PQntuples(result) > 0 ? libpq.PQgetvalue(result, 0, 0) : "");
	libpq.PQclear(result);
	return NULL;
}

struct trm_error *pg_prepare(struct pg_connection *connection, const char *name,
			     const char *text, PGresult **ret_described)
{
	TRM_TRY(pg_drain(connection));
	if (connection->lost ||
	    !libpq.PQsendPrepare(connection->handle, name, text, 0, NULL))
		return unsent_error(connection);
	TRM_TRY(collect_results(connection, NULL));
	if (!libpq.PQsendDescribePrepared(connection->handle, name))
		return unsent_error(connection);
	return collect_results(connection, ret_described);
}

static bool send_prepared(struct pg_connection *connection, const char *name,
			  const struct pg_parameters *parameters)
{
	return !connection->lost &&
	       libpq.PQsendQueryPrepared(connection->handle, name, parameters->count,
					 parameters->values, parameters->lengths,
					 parameters->formats, 0);
}

struct trm_error *pg_execute(struct pg_connection *connection, const char *name,
			     const struct pg_parameters *parameters,
			     PGresult **ret_result)
{
	TRM_TRY(pg_drain(connection));
	if (!send_prepared(connection, name, parameters))
		return unsent_error(connection);
	return collect_results(connection, ret_result);
}

struct trm_error *pg_queue(struct pg_connection *connection, const char *name,
			   const struct pg_parameters *parameters)
{
	if (!connection->queued && !connection->lost &&
	    !libpq.PQenterPipelineMode(connection->handle))
		return unsent_error(connection);
	if (!send_prepared(connection, name, parameters))
		return unsent_error(connection);
	return ++connection->queued < QUEUED_MAX ? NULL : pg_drain(connection);
}

/* After an error the server leaves out all up to the mark. */
struct trm_error *pg_drain(struct pg_connection *connection)
{
	struct trm_error *error = NULL;
	bool marked = false;

	if (!connection->queued)
		return NULL;
	connection->queued = 0;
	if (connection->lost || !libpq.PQpipelineSync(connection->handle))
		return unsent_error(connection);
	while (!marked && !connection->lost) {
		PGresult *result = take_result(connection);

		if (!result)
			continue; /* between two statements */
		marked = libpq.PQresultStatus(result) == PGRES_PIPELINE_SYNC;
		if (is_failure(result) && !error)
			error = error_of(connection, result);
		libpq.PQclear(result);
	}
	if (!error && connection->lost)
		error = pg_error_lost(connection->path);
	if (!connection->lost)
		libpq.PQexitPipelineMode(connection->handle);
	return error;
}
