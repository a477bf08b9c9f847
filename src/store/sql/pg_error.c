#include "store/sql/pg_error.h"

#include "base/array.h"
#include "base/text.h"

#include <string.h>

/* SQLSTATE by its beginning (PostgreSQL's documentation, appendix A), and what it means.
 * `%s` is the database; then comes what the server says, if `%s` is there twice. */
static const struct {
	const char *state;
	enum trm_error_code code;
	const char *words;
} states[] = {
	{"08", TRM_ERROR_SYSTEM,
	 "'%s': the connection to the server was lost: nothing of this was added"},
	{"22003", TRM_ERROR_LIMIT,
	 "'%s': a number is larger than the database holds (2^63 - 1)"},
	{"25006", TRM_ERROR_SYSTEM,
	 "'%s' can only be read: it is a standby or set so: give the primary server's "
	 "address"},
	{"42501", TRM_ERROR_SYSTEM,
	 "'%s': %s: its owner can GRANT that (man trammel-db)"},
	{"53100", TRM_ERROR_SYSTEM,
	 "'%s': the server's disk is full: nothing of this was added (%s)"},
	{"53200", TRM_ERROR_SYSTEM, "'%s': the server has no memory left (%s)"},
	{"54", TRM_ERROR_LIMIT, "'%s': a value is too long for the database (%s)"},
	{"55P03", TRM_ERROR_SYSTEM,
	 "'%s': another process has been writing to it for too long: try again"},
	{"57P0", TRM_ERROR_SYSTEM,
	 "'%s': the server is going down (%s): nothing of this was added"},
	{"57014", TRM_ERROR_SYSTEM, "'%s': the server's limit of time is reached (%s)"},
	{"XX001", TRM_ERROR_FORMAT,
	 "'%s' is damaged on the server (%s): restore it from a backup"},
	{"XX002", TRM_ERROR_FORMAT,
	 "'%s': an index is damaged (%s): REINDEX DATABASE makes it anew"},
};

static const char *const conflicts[] = {"40001", "40P01", "23505"};

/* What the server says when it lets nobody in has no state; the words are those of
 * PostgreSQL in English, else it is shown as it is. */
static const struct {
	const char *words, *remedy;
} refusals[] = {
	{"password authentication failed",
	 "look at ~/.pgpass, PGPASSWORD, or the address"},
	{"no pg_hba.conf entry", "the server's pg_hba.conf must let this user in"},
	{"authentication failed", "give the user that the server knows you by"},
	{"too many clients", "try again, or raise the server's max_connections"},
	{"connection slots are reserved",
	 "try again, or raise the server's max_connections"},
	{"too many connections", "try again, or raise the limit"},
	{"database \"", "'createdb' makes one"},
	{"role \"", "'createuser' makes one"},
	{"starting up", "try again"},
	{"shutting down", "try again"},
	{"recovery mode", "try again"},
	{"could not translate host name", "is the name right?"},
	{"connection to server", "does the server run there?"},
};

/* One line, without what is in front of the reason. */
static void add_line(const char *message, struct text *to)
{
	static const char *const marks[] = {"FATAL:  ", "ERROR:  "};

	for (size_t i = 0; i < array_count(marks); i++) {
		const char *mark = strstr(message, marks[i]);

		if (mark)
			message = mark + strlen(marks[i]);
	}
	for (; *message; message++) {
		if (*message != '\n' && *message != '\t')
			text_add_bytes(to, message, 1);
		else if (message[strspn(message, "\n\t ")] && *message == '\n')
			text_add(to, "; ");
	}
}

static const char *state_of(const PGresult *result)
{
	const char *state =
		result ? libpq.PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;

	return state ? state : "";
}

bool pg_error_is_conflict(const PGresult *result)
{
	for (size_t i = 0; i < array_count(conflicts); i++)
		if (!strcmp(state_of(result), conflicts[i]))
			return true;
	return false;
}

struct trm_error *pg_error_lost(const char *path)
{
	return trm_error_create(TRM_ERROR_SYSTEM, states[0].words, path);
}

struct trm_error *pg_error_of_result(const char *path, const PGresult *result)
{
	const char *primary =
		result ? libpq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	struct trm_error *error = NULL;
	struct text line = {0};

	text_add(&line, "");
	add_line(primary  ? primary
		 : result ? libpq.PQresultErrorMessage(result)
			  : "no memory left",
		 &line);
	for (size_t i = 0; i < array_count(states) && !error; i++)
		if (!strncmp(state_of(result), states[i].state, strlen(states[i].state)))
			error = trm_error_create(states[i].code, states[i].words, path,
						 line.data);
	if (!error)
		error = trm_error_create(TRM_ERROR_SYSTEM, "'%s': %s", path, line.data);
	text_deinit(&line);
	return error;
}

struct trm_error *pg_error_of_connecting(const char *path, PGconn *connection)
{
	const char *message = connection ? libpq.PQerrorMessage(connection) : "";
	const char *remedy = NULL;
	struct text line = {0};
	struct trm_error *error;

	text_add(&line, "");
	add_line(message, &line);
	for (size_t i = 0; i < array_count(refusals) && !remedy; i++)
		if (strstr(message, refusals[i].words))
			remedy = refusals[i].remedy;
	if (connection && libpq.PQconnectionNeedsPassword(connection))
		remedy = "put it into ~/.pgpass, or PGPASSWORD";
	error = trm_error_create(TRM_ERROR_SYSTEM, "'%s': %s%s%s", path,
				 line.length ? line.data : "no memory left",
				 remedy ? ": " : "", remedy ? remedy : "");
	text_deinit(&line);
	return error;
}
