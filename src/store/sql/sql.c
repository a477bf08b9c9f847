#include "store/sql/sql.h"

#include "store/sql/address.h"
#include "store/sql/backend.h"
#include "store/sql/postgres.h"
#include "store/sql/sqlite.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifdef TRAMMEL_POSTGRES
#define open_server postgres_open
#else
static struct trm_error *open_server(const char *address, enum sql_access access,
				     struct sql **ret_sql)
{
	char *shown = address_show(address);
	struct trm_error *error = trm_error_create(
		TRM_ERROR_UNSUPPORTED,
		"'%s': this trammel was built without PostgreSQL: install libpq-dev, and "
		"build it again; or give a file",
		shown);

	(void)access;
	(void)ret_sql;
	free(shown);
	return error;
}
#endif

struct trm_error *sql_open(const char *path, enum sql_access access, struct sql **ret_sql)
{
	return address_is_server(path) ? open_server(path, access, ret_sql)
				       : sqlite_open(path, access, ret_sql);
}

void sql_close(struct sql *sql)
{
	if (sql)
		sql->backend->close(sql);
}

struct trm_error *sql_economize(struct sql *sql, int cache_kib, int patience_ms)
{
	return sql->backend->economize(sql, cache_kib, patience_ms);
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

bool sql_is_server(const struct sql *sql)
{
	return sql->backend->server;
}

bool sql_conflicted(const struct sql *sql)
{
	return sql->backend->conflicted && sql->backend->conflicted(sql);
}

static struct trm_error *prepare_statement(struct sql *sql, const char *text,
					   enum sql_manner manner, void **ret_statement)
{
	struct text theirs = {0};
	struct trm_error *error;

	vector_for_each (&sql->kept, kept) {
		if (kept->text != text)
			continue;
		sql->backend->stop(kept->statement);
		*ret_statement = kept->statement;
		return NULL;
	}
	sql_translate(sql->backend, text, &theirs);
	error = sql->backend->prepare(sql, theirs.data, manner, ret_statement);
	text_deinit(&theirs);
	if (!error)
		vector_push(&sql->kept, ((struct sql_kept){text, *ret_statement}));
	return error;
}

static struct sql_value read_value(char letter, va_list *values)
{
	struct sql_value value = {.type = SQL_BYTES};

	if (letter == 'i')
		return (struct sql_value){SQL_INT, .number = va_arg(*values, int64_t)};
	if (letter == 'd')
		return (struct sql_value){SQL_REAL, .real = va_arg(*values, double)};
	value.text = va_arg(*values, const char *);
	if (letter == 't')
		value.type = value.text ? SQL_TEXT : SQL_NOTHING;
	else
		value.size = va_arg(*values, size_t);
	return value;
}

static struct trm_error *start_statement(struct sql *sql, enum sql_manner manner,
					 const char *text, const char *types,
					 va_list *values, struct sql_rows *ret_rows)
{
	struct sql_value read[SQL_VALUES_MAX];
	size_t count = 0;
	void *statement;

	TRM_TRY(prepare_statement(sql, text, manner, &statement));
	for (; types[count] && count < SQL_VALUES_MAX; count++)
		read[count] = read_value(types[count], values);
	*ret_rows = (struct sql_rows){sql, statement};
	return sql->backend->start(statement, read, count);
}

struct trm_error *sql_ask(struct sql *sql, struct sql_rows *ret_rows, const char *text,
			  const char *types, ...)
{
	va_list values;

	va_start(values, types);
	struct trm_error *error =
		start_statement(sql, SQL_FEW_ROWS, text, types, &values, ret_rows);

	va_end(values);
	return error;
}

struct trm_error *sql_ask_many(struct sql *sql, struct sql_rows *ret_rows,
			       const char *text, const char *types, ...)
{
	va_list values;

	va_start(values, types);
	struct trm_error *error =
		start_statement(sql, SQL_MANY_ROWS, text, types, &values, ret_rows);

	va_end(values);
	return error;
}

struct trm_error *sql_next(struct sql_rows *rows, bool *ret_more)
{
	return rows->sql->backend->step(rows->statement, ret_more);
}

void sql_stop(struct sql_rows *rows)
{
	if (rows->statement)
		rows->sql->backend->stop(rows->statement);
}

struct trm_error *sql_run(struct sql *sql, const char *text, const char *types, ...)
{
	struct sql_rows rows;
	bool more = true;
	va_list values;

	va_start(values, types);
	struct trm_error *error =
		start_statement(sql, SQL_NO_ROWS, text, types, &values, &rows);

	va_end(values);
	while (!error && more)
		error = sql_next(&rows, &more);
	return error;
}

struct trm_error *sql_run_values(struct sql *sql, const char *text,
				 const struct sql_value *values, size_t count)
{
	void *statement;
	bool more = true;

	TRM_TRY(prepare_statement(sql, text, SQL_NO_ROWS, &statement));
	TRM_TRY(sql->backend->start(statement, values, count));
	while (more)
		TRM_TRY(sql->backend->step(statement, &more));
	return NULL;
}

struct trm_error *sql_script(struct sql *sql, const char *text)
{
	struct text theirs = {0};
	struct trm_error *error;

	sql_translate(sql->backend, text, &theirs);
	error = sql->backend->script(sql, theirs.data);
	text_deinit(&theirs);
	return error;
}

struct trm_error *sql_number(struct sql *sql, int64_t otherwise, int64_t *ret_number,
			     const char *text, const char *types, ...)
{
	struct sql_rows rows;
	bool more;
	va_list values;

	va_start(values, types);
	struct trm_error *error =
		start_statement(sql, SQL_FEW_ROWS, text, types, &values, &rows);

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
	return rows->sql->backend->get_int(rows->statement, column);
}

double sql_real(const struct sql_rows *rows, int column)
{
	return rows->sql->backend->get_real(rows->statement, column);
}

const char *sql_text(const struct sql_rows *rows, int column)
{
	size_t size;
	const char *text = rows->sql->backend->get_bytes(rows->statement, column, &size);

	return text ? text : "";
}

const void *sql_bytes(const struct sql_rows *rows, int column, size_t *ret_size)
{
	return rows->sql->backend->get_bytes(rows->statement, column, ret_size);
}

bool sql_is_null(const struct sql_rows *rows, int column)
{
	return rows->sql->backend->is_null(rows->statement, column);
}

bool sql_is_real(const struct sql_rows *rows, int column)
{
	return rows->sql->backend->is_real(rows->statement, column);
}

struct trm_error *sql_begin(struct sql *sql, enum sql_purpose purpose)
{
	return sql->backend->begin(sql, purpose);
}

struct trm_error *sql_commit(struct sql *sql)
{
	struct trm_error *error = sql->backend->commit(sql);

	if (error)
		sql_undo(sql);
	return error;
}

void sql_undo(struct sql *sql)
{
	vector_for_each (&sql->kept, kept)
		sql->backend->stop(kept->statement);
	sql->backend->undo(sql);
}

const char *sql_doubt(const struct sql *sql)
{
	return sql->backend->doubt ? sql->backend->doubt(sql) : "";
}

struct trm_error *sql_resolve(struct sql *sql, const char *doubt, bool *ret_committed)
{
	*ret_committed = false;
	return sql->backend->resolve ? sql->backend->resolve(sql, doubt, ret_committed)
				     : NULL;
}

struct trm_error *sql_lock(struct sql *sql, int64_t number)
{
	return sql->backend->lock(sql, number);
}

struct trm_error *sql_version(struct sql *sql, int64_t *ret_version)
{
	return sql->backend->version(sql, ret_version);
}

struct trm_error *sql_make_tables(struct sql *sql, const char *text, int64_t version)
{
	struct text theirs = {0};
	struct trm_error *error;

	sql_translate(sql->backend, text, &theirs);
	error = sql->backend->make_tables(sql, theirs.data, version);
	text_deinit(&theirs);
	return error;
}

struct trm_error *sql_check(struct sql *sql, struct text *ret_faults)
{
	return sql->backend->check(sql, ret_faults);
}

struct trm_error *sql_shrink(struct sql *sql)
{
	return sql->backend->shrink(sql);
}
