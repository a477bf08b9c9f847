#include "store/sql/sqlite.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "store/sql/backend.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "TRMD", at a fixed place of the file. */
#define APPLICATION 1414681924

enum { BUSY_MS = 60000 };

struct sqlite {
	struct sql sql; /* first */
	sqlite3 *handle;
	const char *used; /* see sqlite_drop_unused; or NULL */
};

struct sqlite_statement {
	struct sqlite *database;
	sqlite3_stmt *handle;
};

/* What a result of SQLite means to a user. `%s` is the file. */
static const struct {
	int result;
	enum trm_error_code code;
	const char *words;
} failures[] = {
	{SQLITE_NOTADB, TRM_ERROR_FORMAT, "'%s' is not a database of trammel"},
	{SQLITE_CORRUPT, TRM_ERROR_FORMAT, "'%s' is damaged: " STORE_SALVAGE},
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

static const struct sql_word words[] = {
	{"DIGEST(", "(", false}, /* an index takes values of any length */
	{NULL, NULL, false},
};

static void free_text(char **text)
{
	sqlite3_free(*text);
}

#define scoped_sqlite_text __attribute__((cleanup(free_text)))

static struct sqlite *of_sql(struct sql *sql)
{
	return (struct sqlite *)sql;
}

static struct trm_error *make_error(const struct sqlite *database, int result)
{
	const char *path = database->sql.path;
	const char *why = database->handle ? sqlite3_errmsg(database->handle)
					   : sqlite3_errstr(result);
	int system = database->handle ? sqlite3_system_errno(database->handle) : 0;

	if (strstr(why, "integer overflow"))
		return trm_error_create(TRM_ERROR_LIMIT,
					"'%s': a sum exceeds 2^63 - 1, the largest "
					"number that the database holds",
					path);
	if (system &&
	    ((result & 0xff) == SQLITE_IOERR || (result & 0xff) == SQLITE_CANTOPEN))
		return trm_error_system(system, "'%s'", path);
	for (size_t i = 0; i < array_count(failures); i++)
		if ((result & 0xff) == failures[i].result)
			return trm_error_create(failures[i].code, failures[i].words,
						path);
	return trm_error_create(
		TRM_ERROR_SYSTEM,
		"'%s': %s: if 'trammel db check' calls it damaged, " STORE_SALVAGE, path,
		why);
}

static struct trm_error *run_script(struct sql *sql, const char *text)
{
	int result = sqlite3_exec(of_sql(sql)->handle, text, NULL, NULL, NULL);

	return result ? make_error(of_sql(sql), result) : NULL;
}

/* Nobody else may be writing to it, or waiting for that: who has it open already finds
 * that it is gone (begin_transaction). */
static void drop_unused(struct sql *sql)
{
	static const char *const behind[] = {"", "-wal", "-shm"};
	struct sqlite *database = of_sql(sql);
	int64_t used = 0, tables = 1;
	struct text name = {0};
	struct trm_error *error;

	sqlite3_busy_timeout(database->handle, 0);
	error = run_script(sql, "BEGIN EXCLUSIVE");
	if (!error)
		error = sql_number(sql, 1, &tables, "SELECT count(*) FROM sqlite_schema",
				   "");
	if (!error && tables)
		error = sql_number(sql, 1, &used, database->used, "");
	for (size_t i = 0; !error && !used && i < array_count(behind); i++) {
		name.length = 0;
		text_format(&name, "%s%s", sql->path, behind[i]);
		unlink(name.data);
	}
	trm_error_destroy(error);
	text_deinit(&name);
}

void sqlite_drop_unused(struct sql *sql, const char *used)
{
	of_sql(sql)->used = used;
}

static void undo_transaction(struct sql *sql)
{
	if (!sqlite3_get_autocommit(of_sql(sql)->handle))
		trm_error_destroy(run_script(sql, "ROLLBACK"));
}

static void close_file(struct sql *sql)
{
	struct sqlite *database = of_sql(sql);

	if (database->used) {
		undo_transaction(sql);
		drop_unused(sql);
	}
	sql_deinit(sql);
	sqlite3_close(database->handle);
	free(database);
}

static struct trm_error *use_less(struct sql *sql, int cache_kib, int patience_ms)
{
	struct text settings = {0};
	struct trm_error *error;

	sqlite3_busy_timeout(of_sql(sql)->handle, patience_ms);
	text_format(&settings, "PRAGMA cache_size=-%d;PRAGMA temp_store=FILE;",
		    cache_kib);
	error = run_script(sql, settings.data);
	text_deinit(&settings);
	return error;
}

static struct trm_error *prepare_statement(struct sql *sql, const char *text,
					   enum sql_manner manner, void **ret_statement)
{
	struct sqlite_statement statement = {.database = of_sql(sql)};
	int result =
		sqlite3_prepare_v3(statement.database->handle, text, -1,
				   SQLITE_PREPARE_PERSISTENT, &statement.handle, NULL);

	(void)manner;
	if (result)
		return make_error(statement.database, result);
	struct sqlite_statement *made = memory_allocate(sizeof(*made));

	*made = statement;
	*ret_statement = made;
	return NULL;
}

static void release_statement(void *statement)
{
	struct sqlite_statement *released = statement;

	sqlite3_finalize(released->handle);
	free(released);
}

/* What is bound outlives the call. */
static int bind_value(sqlite3_stmt *handle, int number, const struct sql_value *value)
{
	switch (value->type) {
	case SQL_INT:
		return sqlite3_bind_int64(handle, number, value->number);
	case SQL_REAL:
		return sqlite3_bind_double(handle, number, value->real);
	case SQL_TEXT:
		return sqlite3_bind_text(handle, number, value->text, -1,
					 SQLITE_TRANSIENT);
	case SQL_BYTES:
		return sqlite3_bind_blob64(handle, number, value->text, value->size,
					   SQLITE_TRANSIENT);
	default:
		return sqlite3_bind_null(handle, number);
	}
}

static struct trm_error *start_statement(void *statement, const struct sql_value *values,
					 size_t count)
{
	struct sqlite_statement *started = statement;
	int result = 0;

	for (size_t i = 0; i < count && !result; i++)
		result = bind_value(started->handle, (int)i + 1, &values[i]);
	return result ? make_error(started->database, result) : NULL;
}

static struct trm_error *step_statement(void *statement, bool *ret_more)
{
	struct sqlite_statement *stepped = statement;
	int result = sqlite3_step(stepped->handle);

	*ret_more = result == SQLITE_ROW;
	if (result == SQLITE_ROW)
		return NULL;
	struct trm_error *error =
		result == SQLITE_DONE ? NULL : make_error(stepped->database, result);

	sqlite3_reset(stepped->handle);
	return error;
}

static void stop_statement(void *statement)
{
	struct sqlite_statement *stopped = statement;

	sqlite3_reset(stopped->handle);
}

static sqlite3_stmt *handle_of(const void *statement)
{
	const struct sqlite_statement *of = statement;

	return of->handle;
}

static int64_t get_int(const void *statement, int column)
{
	return sqlite3_column_int64(handle_of(statement), column);
}

static double get_real(const void *statement, int column)
{
	return sqlite3_column_double(handle_of(statement), column);
}

/* As text: then there is a zero behind the bytes, whatever is in a damaged file. */
static const void *get_bytes(void *statement, int column, size_t *ret_size)
{
	const void *bytes = sqlite3_column_text(handle_of(statement), column);

	*ret_size = (size_t)sqlite3_column_bytes(handle_of(statement), column);
	return bytes;
}

static bool is_null(const void *statement, int column)
{
	return sqlite3_column_type(handle_of(statement), column) == SQLITE_NULL;
}

static bool is_real(const void *statement, int column)
{
	return sqlite3_column_type(handle_of(statement), column) == SQLITE_FLOAT;
}

static struct trm_error *begin_transaction(struct sql *sql, enum sql_purpose purpose)
{
	int moved = 0;

	if (purpose == SQL_READING)
		return run_script(sql, "BEGIN");
	TRM_TRY(run_script(sql, "BEGIN IMMEDIATE"));
	sqlite3_file_control(of_sql(sql)->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	if (!moved)
		return NULL;
	/* What is written to it nobody would find. */
	undo_transaction(sql);
	return trm_error_create(TRM_ERROR_SYSTEM,
				"'%s' was moved or deleted meanwhile: try again",
				sql->path);
}

static struct trm_error *commit_transaction(struct sql *sql)
{
	return run_script(sql, "COMMIT");
}

/* A writer is alone anyhow. */
static struct trm_error *lock_number(struct sql *sql, int64_t number)
{
	(void)sql;
	(void)number;
	return NULL;
}

static struct trm_error *find_version(struct sql *sql, int64_t *ret_version)
{
	int64_t application, version, tables;

	TRM_TRY(sql_number(sql, 0, &application, "PRAGMA application_id", ""));
	TRM_TRY(sql_number(sql, 0, &version, "PRAGMA user_version", ""));
	TRM_TRY(sql_number(sql, 0, &tables, "SELECT count(*) FROM sqlite_schema", ""));
	*ret_version = !application && !version && !tables ? 0
		       : application != APPLICATION        ? -1
							   : version;
	return NULL;
}

static struct trm_error *make_tables(struct sql *sql, const char *text, int64_t version)
{
	struct text all = {0};
	struct trm_error *error;
	int64_t there;

	TRM_TRY(run_script(sql, "PRAGMA auto_vacuum=INCREMENTAL;"
				"PRAGMA journal_mode=WAL"));
	TRM_TRY(sql_begin(sql, SQL_CHANGING));
	text_format(&all, "%s;PRAGMA application_id=%d;PRAGMA user_version=%ld", text,
		    APPLICATION, (long)version);
	error = find_version(sql, &there);
	if (!error && !there)
		error = run_script(sql, all.data);
	text_deinit(&all);
	if (!error)
		return sql_commit(sql);
	sql_undo(sql);
	return error;
}

static struct trm_error *check_file(struct sql *sql, struct text *ret_faults)
{
	struct sql_rows rows;
	bool more = true;

	TRM_TRY(sql_ask(sql, &rows, "PRAGMA integrity_check(10)", ""));
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		if (!more || !strcmp(sql_text(&rows, 0), "ok"))
			continue;
		for (const char *s = sql_text(&rows, 0); *s; s++)
			text_add_bytes(ret_faults, *s == '\n' ? " " : s, 1);
		text_add(ret_faults, "\n");
	}
	return NULL;
}

/* What is free goes back to the disk. */
static struct trm_error *shrink_file(struct sql *sql)
{
	TRM_TRY(run_script(sql, "PRAGMA incremental_vacuum"));
	return run_script(sql, "PRAGMA wal_checkpoint(TRUNCATE)");
}

static const struct sql_backend backend = {
	.words = words,
	.close = close_file,
	.economize = use_less,
	.script = run_script,
	.prepare = prepare_statement,
	.release = release_statement,
	.start = start_statement,
	.step = step_statement,
	.stop = stop_statement,
	.get_int = get_int,
	.get_real = get_real,
	.get_bytes = get_bytes,
	.is_null = is_null,
	.is_real = is_real,
	.begin = begin_transaction,
	.commit = commit_transaction,
	.undo = undo_transaction,
	.lock = lock_number,
	.version = find_version,
	.make_tables = make_tables,
	.check = check_file,
	.shrink = shrink_file,
};

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
static int open_handle(struct sqlite *database, enum sql_access access)
{
	const char *path = database->sql.path;
	struct text uri = {0};
	int flags = access == SQL_READ    ? SQLITE_OPEN_READONLY
		    : access == SQL_WRITE ? SQLITE_OPEN_READWRITE
					  : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	int result = sqlite3_open_v2(path, &database->handle, flags | SQLITE_OPEN_NOMUTEX,
				     NULL);

	/* Who closes it last, or finds the log of one that was killed, has it alone for a
	 * moment. */
	sqlite3_busy_timeout(database->handle, BUSY_MS);
	if (!result)
		result = sqlite3_exec(database->handle,
				      "SELECT count(*) FROM sqlite_schema", NULL, NULL,
				      NULL);
	if (access != SQL_READ ||
	    ((result & 0xff) != SQLITE_CANTOPEN && (result & 0xff) != SQLITE_READONLY) ||
	    has_log(path))
		return result;
	sqlite3_close(database->handle);
	database->handle = NULL;
	text_add(&uri, "file:");
	for (const char *s = path; *s; s++)
		text_format(&uri, strchr("?#%", *s) ? "%%%02x" : "%c", (unsigned char)*s);
	text_add(&uri, "?immutable=1");
	result = sqlite3_open_v2(uri.data, &database->handle,
				 flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL);
	text_deinit(&uri);
	return result;
}

struct trm_error *sqlite_open(const char *path, enum sql_access access,
			      struct sql **ret_sql)
{
	static const char settings[] = "PRAGMA temp_store=MEMORY;"
				       "PRAGMA cache_size=-65536;";
	struct sqlite *database;
	struct stat status;
	int result;

	if (access < SQL_CREATE && stat(path, &status))
		return trm_error_system(errno, "'%s'", path);
	database = memory_allocate_zeroed(1, sizeof(*database));
	database->sql.backend = &backend;
	database->sql.path = memory_copy_string(path);
	result = open_handle(database, access);
	if (!result) {
		sqlite3_extended_result_codes(database->handle, 1);
		result = sqlite3_exec(database->handle, settings, NULL, NULL, NULL);
	}
	if (!result && access != SQL_READ &&
	    sqlite3_db_readonly(database->handle, "main") > 0)
		result = SQLITE_READONLY;
	if (!result) {
		*ret_sql = &database->sql;
		return NULL;
	}
	struct trm_error *error = make_error(database, result);

	close_file(&database->sql);
	return error;
}

/* Entries are told by their names, and those that have none of these by their places. */
static const char take_list[] =
	"BEGIN IMMEDIATE;"
	"UPDATE main.sqlite_schema AS s SET (type, name, tbl_name, sql)="
	"(SELECT w.type, w.name, w.tbl_name, w.sql FROM temp.wanted w WHERE w.n="
	"coalesce((SELECT v.n FROM temp.wanted v WHERE v.name=s.name),"
	" s.rowid));"
	"DELETE FROM main.sqlite_schema WHERE name IS NULL;"
	"PRAGMA writable_schema=RESET;";

struct trm_error *sqlite_open_like(const char *path, const char *like,
				   struct sql **ret_sql)
{
	struct sqlite *database = memory_allocate_zeroed(1, sizeof(*database));
	scoped_sqlite_text char *list = sqlite3_mprintf(
		"PRAGMA temp_store=MEMORY;PRAGMA writable_schema=ON;"
		"ATTACH %Q AS sound;CREATE TEMP TABLE wanted AS"
		" SELECT rowid AS n, type, name, tbl_name, sql FROM sound.sqlite_schema;"
		"DETACH sound;%s",
		like, take_list);
	int result = sqlite3_open_v2(path, &database->handle,
				     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	database->sql.backend = &backend;
	database->sql.path = memory_copy_string(path);
	sqlite3_busy_timeout(database->handle, BUSY_MS);
	if (!result)
		result = sqlite3_exec(database->handle, list, NULL, NULL, NULL);
	if (!result)
		result = sqlite3_exec(database->handle,
				      "SELECT count(*) FROM sqlite_schema", NULL, NULL,
				      NULL);
	if (!result) {
		*ret_sql = &database->sql;
		return NULL;
	}
	struct trm_error *error = make_error(database, result);

	close_file(&database->sql);
	return error;
}

int sqlite_columns(const struct sql_rows *rows)
{
	return sqlite3_column_count(handle_of(rows->statement));
}

struct trm_error *sqlite_copy_row(struct sql *to, const char *text,
				  const struct sql_rows *rows)
{
	struct sql_rows put;
	bool more;

	TRM_TRY(sql_ask(to, &put, text, ""));
	for (int i = 0; i < sqlite_columns(rows); i++) {
		const int result = sqlite3_bind_value(
			handle_of(put.statement), i + 1,
			sqlite3_column_value(handle_of(rows->statement), i));

		if (result)
			return make_error(of_sql(to), result);
	}
	return sql_next(&put, &more);
}
