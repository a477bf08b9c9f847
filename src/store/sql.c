#include "store/sql.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/vector.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 60000 };

struct kept {
	const char *text;
	sqlite3_stmt *statement;
};

struct sql {
	sqlite3 *handle;
	char *path;
	struct VECTOR(struct kept) kept;
	struct VECTOR(char *) texts; /* of sql_keep */
};

/* What a result of SQLite means to a user. `%s` is the file. */
static const struct {
	int result;
	enum trm_error_code code;
	const char *words;
} failures[] = {
	{SQLITE_NOTADB, TRM_ERROR_FORMAT, "'%s' is not a database of trammel"},
	{SQLITE_CORRUPT, TRM_ERROR_FORMAT,
	 "'%s' is damaged: 'trammel db check --repair' salvages what can be read"},
	{SQLITE_FULL, TRM_ERROR_SYSTEM,
	 "'%s': the disk is full: nothing of this was added"},
	{SQLITE_READONLY, TRM_ERROR_SYSTEM,
	 "'%s' can only be read: it is write-protected"},
	{SQLITE_PERM, TRM_ERROR_SYSTEM, "'%s' can only be read: it is write-protected"},
	{SQLITE_BUSY, TRM_ERROR_SYSTEM,
	 "'%s': another process has been writing to it for a minute: try again"},
	{SQLITE_TOOBIG, TRM_ERROR_LIMIT, "'%s': a value is too long for the database"},
	{SQLITE_IOERR, TRM_ERROR_SYSTEM,
	 "'%s' cannot be read or cannot be written to: the disk fails, or a limit is "
	 "reached"},
	{SQLITE_CANTOPEN, TRM_ERROR_SYSTEM,
	 "'%s' cannot be opened: it, or the log beside it, needs the right to write"},
	{SQLITE_NOMEM, TRM_ERROR_SYSTEM, "'%s': no memory left"},
};

static struct trm_error *make_error(const struct sql *sql, int result)
{
	const char *why =
		sql->handle ? sqlite3_errmsg(sql->handle) : sqlite3_errstr(result);
	int system = sql->handle ? sqlite3_system_errno(sql->handle) : 0;

	if (strstr(why, "integer overflow"))
		return trm_error_create(TRM_ERROR_LIMIT,
					"'%s': a sum exceeds 2^63 - 1, the largest "
					"number that the database holds",
					sql->path);
	if (system &&
	    ((result & 0xff) == SQLITE_IOERR || (result & 0xff) == SQLITE_CANTOPEN))
		return trm_error_system(system, "'%s'", sql->path);
	for (size_t i = 0; i < array_count(failures); i++)
		if ((result & 0xff) == failures[i].result)
			return trm_error_create(failures[i].code, failures[i].words,
						sql->path);
	return trm_error_create(TRM_ERROR_SYSTEM, "'%s': %s", sql->path, why);
}

/* Whether there is something of the database in the log beside it: of a writer, or of one
 * that was killed. */
static bool has_log(const char *path)
{
	struct text log = {0};
	struct stat status;

	text_format(&log, "%s-wal", path);
	const bool there = !stat(log.data, &status) && status.st_size;

	text_deinit(&log);
	return there;
}

/* A database that is only read may lie where nothing can be written beside it. */
static int open_handle(struct sql *sql, enum sql_access access)
{
	struct text uri = {0};
	int flags = access == SQL_READ    ? SQLITE_OPEN_READONLY
		    : access == SQL_WRITE ? SQLITE_OPEN_READWRITE
					  : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	int result = sqlite3_open_v2(sql->path, &sql->handle, flags | SQLITE_OPEN_NOMUTEX,
				     NULL);

	if (!result)
		result = sqlite3_exec(sql->handle, "SELECT count(*) FROM sqlite_schema",
				      NULL, NULL, NULL);
	if (access != SQL_READ ||
	    ((result & 0xff) != SQLITE_CANTOPEN && (result & 0xff) != SQLITE_READONLY) ||
	    has_log(sql->path))
		return result;
	sqlite3_close(sql->handle);
	sql->handle = NULL;
	text_add(&uri, "file:");
	for (const char *s = sql->path; *s; s++)
		text_format(&uri, strchr("?#%", *s) ? "%%%02x" : "%c", (unsigned char)*s);
	text_add(&uri, "?immutable=1");
	result = sqlite3_open_v2(uri.data, &sql->handle,
				 flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL);
	text_deinit(&uri);
	return result;
}

struct trm_error *sql_open(const char *path, enum sql_access access, struct sql **ret_sql)
{
	static const char settings[] = "PRAGMA temp_store=MEMORY;"
				       "PRAGMA cache_size=-65536;";
	struct sql *sql;
	struct stat status;
	int result;

	if (access != SQL_CREATE && stat(path, &status))
		return trm_error_system(errno, "'%s'", path);
	sql = memory_allocate_zeroed(1, sizeof(*sql));
	sql->path = memory_copy_string(path);
	result = open_handle(sql, access);
	if (!result) {
		sqlite3_extended_result_codes(sql->handle, 1);
		sqlite3_busy_timeout(sql->handle, BUSY_MS);
		result = sqlite3_exec(sql->handle, settings, NULL, NULL, NULL);
	}
	if (!result && access != SQL_READ && sqlite3_db_readonly(sql->handle, "main") > 0)
		result = SQLITE_READONLY;
	if (!result) {
		*ret_sql = sql;
		return NULL;
	}
	struct trm_error *error = make_error(sql, result);

	sql_close(sql);
	return error;
}

void sql_close(struct sql *sql)
{
	if (!sql)
		return;
	vector_for_each (&sql->kept, kept)
		sqlite3_finalize(kept->statement);
	vector_deinit(&sql->kept);
	vector_for_each (&sql->texts, text)
		free(*text);
	vector_deinit(&sql->texts);
	sqlite3_close(sql->handle);
	free(sql->path);
	free(sql);
}

struct trm_error *sql_economize(struct sql *sql, int cache_kib, int patience_ms)
{
	struct text settings = {0};
	struct trm_error *error;

	sqlite3_busy_timeout(sql->handle, patience_ms);
	text_format(&settings, "PRAGMA cache_size=-%d;PRAGMA temp_store=FILE;",
		    cache_kib);
	error = sql_script(sql, settings.data);
	text_deinit(&settings);
	return error;
}

const char *sql_keep(struct sql *sql, const char *text)
{
	vector_for_each (&sql->texts, kept)
		if (!strcmp(*kept, text))
			return *kept;
	vector_push(&sql->texts, memory_copy_string(text));
	return sql->texts.items[sql->texts.count - 1];
}

const char *sql_path(const struct sql *sql)
{
	return sql->path;
}

static struct trm_error *find_statement(struct sql *sql, const char *text,
					sqlite3_stmt **ret_statement)
{
	sqlite3_stmt *statement;
	int result;

	vector_for_each (&sql->kept, kept) {
		if (kept->text != text)
			continue;
		sqlite3_reset(kept->statement);
		*ret_statement = kept->statement;
		return NULL;
	}
	result = sqlite3_prepare_v3(sql->handle, text, -1, SQLITE_PREPARE_PERSISTENT,
				    &statement, NULL);
	if (result)
		return make_error(sql, result);
	vector_push(&sql->kept, ((struct kept){text, statement}));
	*ret_statement = statement;
	return NULL;
}

/* Values are given as they are: they outlive the statement's steps, and are taken from it
 * at its end. */
static int bind_value(sqlite3_stmt *statement, int number, char type, va_list *values)
{
	const void *bytes;

	switch (type) {
	case 'i':
		return sqlite3_bind_int64(statement, number, va_arg(*values, int64_t));
	case 'd':
		return sqlite3_bind_double(statement, number, va_arg(*values, double));
	case 't':
		return sqlite3_bind_text(statement, number, va_arg(*values, const char *),
					 -1, SQLITE_TRANSIENT);
	default:
		bytes = va_arg(*values, const void *);
		return sqlite3_bind_blob64(statement, number, bytes,
					   va_arg(*values, size_t), SQLITE_TRANSIENT);
	}
}

static struct trm_error *bind_all(struct sql *sql, const char *text, const char *types,
				  va_list *values, struct sql_rows *ret_rows)
{
	sqlite3_stmt *statement;
	int result = 0;

	TRM_TRY(find_statement(sql, text, &statement));
	for (int i = 0; types[i] && !result; i++)
		result = bind_value(statement, i + 1, types[i], values);
	*ret_rows = (struct sql_rows){sql, statement};
	return result ? make_error(sql, result) : NULL;
}

struct trm_error *sql_ask(struct sql *sql, struct sql_rows *ret_rows, const char *text,
			  const char *types, ...)
{
	va_list values;

	va_start(values, types);
	struct trm_error *error = bind_all(sql, text, types, &values, ret_rows);

	va_end(values);
	return error;
}

struct trm_error *sql_next(struct sql_rows *rows, bool *ret_more)
{
	int result = sqlite3_step(rows->statement);

	*ret_more = result == SQLITE_ROW;
	if (result == SQLITE_ROW)
		return NULL;
	struct trm_error *error =
		result == SQLITE_DONE ? NULL : make_error(rows->sql, result);

	sqlite3_reset(rows->statement);
	return error;
}

void sql_stop(struct sql_rows *rows)
{
	if (rows->statement)
		sqlite3_reset(rows->statement);
}

struct trm_error *sql_run(struct sql *sql, const char *text, const char *types, ...)
{
	struct sql_rows rows;
	bool more = true;
	va_list values;

	va_start(values, types);
	struct trm_error *error = bind_all(sql, text, types, &values, &rows);

	va_end(values);
	while (!error && more)
		error = sql_next(&rows, &more);
	return error;
}

static int bind_typed(sqlite3_stmt *statement, int number, const struct sql_value *value)
{
	switch (value->type) {
	case SQL_INT:
		return sqlite3_bind_int64(statement, number, value->number);
	case SQL_REAL:
		return sqlite3_bind_double(statement, number, value->real);
	case SQL_TEXT:
		return sqlite3_bind_text(statement, number, value->text, -1,
					 SQLITE_TRANSIENT);
	default:
		return sqlite3_bind_null(statement, number);
	}
}

struct trm_error *sql_run_values(struct sql *sql, const char *text,
				 const struct sql_value *values, size_t count)
{
	struct sql_rows rows = {.sql = sql};
	sqlite3_stmt *statement;
	bool more;

	TRM_TRY(find_statement(sql, text, &statement));
	for (size_t i = 0; i < count; i++) {
		const int result = bind_typed(statement, (int)i + 1, &values[i]);

		if (result)
			return make_error(sql, result);
	}
	rows.statement = statement;
	return sql_next(&rows, &more);
}

struct trm_error *sql_script(struct sql *sql, const char *text)
{
	int result = sqlite3_exec(sql->handle, text, NULL, NULL, NULL);

	return result ? make_error(sql, result) : NULL;
}

struct trm_error *sql_number(struct sql *sql, int64_t otherwise, int64_t *ret_number,
			     const char *text, const char *types, ...)
{
	struct sql_rows rows;
	bool more;
	va_list values;

	va_start(values, types);
	struct trm_error *error = bind_all(sql, text, types, &values, &rows);

	va_end(values);
	if (!error)
		error = sql_next(&rows, &more);
	if (error)
		return error;
	*ret_number = more && !sql_is_null(&rows, 0) ? sql_int(&rows, 0) : otherwise;
	sql_stop(&rows);
	return NULL;
}

int64_t sql_int(const struct sql_rows *rows, int column)
{
	return sqlite3_column_int64(rows->statement, column);
}

double sql_real(const struct sql_rows *rows, int column)
{
	return sqlite3_column_double(rows->statement, column);
}

const char *sql_text(const struct sql_rows *rows, int column)
{
	const unsigned char *text = sqlite3_column_text(rows->statement, column);

	return text ? (const char *)text : "";
}

const void *sql_bytes(const struct sql_rows *rows, int column, size_t *ret_size)
{
	const void *bytes = sqlite3_column_blob(rows->statement, column);

	*ret_size = (size_t)sqlite3_column_bytes(rows->statement, column);
	return bytes;
}

bool sql_is_null(const struct sql_rows *rows, int column)
{
	return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

bool sql_is_real(const struct sql_rows *rows, int column)
{
	return sqlite3_column_type(rows->statement, column) == SQLITE_FLOAT;
}

int sql_columns(const struct sql_rows *rows)
{
	return sqlite3_column_count(rows->statement);
}

struct trm_error *sql_copy_row(struct sql *to, const char *text,
			       const struct sql_rows *rows)
{
	struct sql_rows put = {.sql = to};
	sqlite3_stmt *statement;
	bool more;

	TRM_TRY(find_statement(to, text, &statement));
	for (int i = 0; i < sql_columns(rows); i++) {
		const int result = sqlite3_bind_value(
			statement, i + 1, sqlite3_column_value(rows->statement, i));

		if (result)
			return make_error(to, result);
	}
	put.statement = statement;
	return sql_next(&put, &more);
}

int64_t sql_inserted(const struct sql *sql)
{
	return sqlite3_last_insert_rowid(sql->handle);
}

int64_t sql_changed(const struct sql *sql)
{
	return sqlite3_changes64(sql->handle);
}

struct trm_error *sql_begin(struct sql *sql)
{
	return sql_script(sql, "BEGIN IMMEDIATE");
}

struct trm_error *sql_begin_reading(struct sql *sql)
{
	return sql_script(sql, "BEGIN");
}

struct trm_error *sql_commit(struct sql *sql)
{
	struct trm_error *error = sql_script(sql, "COMMIT");

	if (error)
		sql_undo(sql);
	return error;
}

void sql_undo(struct sql *sql)
{
	vector_for_each (&sql->kept, kept)
		sqlite3_reset(kept->statement);
	if (!sqlite3_get_autocommit(sql->handle))
		trm_error_destroy(sql_script(sql, "ROLLBACK"));
}
