/*
 * Statements of SQL on the database that a store is kept in: the only file that knows
 * which one that is (SQLite). Statements are prepared once and kept by the address of
 * their text, so texts are literals, or live as long as the connection.
 */
#ifndef TRAMMEL_STORE_SQL_H
#define TRAMMEL_STORE_SQL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sql;

enum sql_access {
	SQL_READ,   /* the file must be there */
	SQL_WRITE,  /* likewise */
	SQL_CREATE, /* an empty one is made if there is none */
};

/* Opens a database file. Errors: it cannot be opened or written to, or is none. */
struct trm_error *sql_open(const char *path, enum sql_access access,
			   struct sql **ret_sql);

/* Closes a connection; a transaction that is under way is undone. NULL is allowed. */
void sql_close(struct sql *sql);

/* Lets a connection use less memory (`cache_kib` for pages; what does not fit goes to
 * files), and wait for other writers for `patience_ms` only. */
struct trm_error *sql_economize(struct sql *sql, int cache_kib, int patience_ms);

/* Path of the file, as it was given. */
const char *sql_path(const struct sql *sql);

/*
 * Runs a statement that has no rows. `types` has a letter for each parameter that
 * follows: i an int64_t, d a double, t a text (may be NULL), b bytes (a pointer and a
 * size_t). None of these is kept beyond the call.
 */
struct trm_error *sql_run(struct sql *sql, const char *text, const char *types, ...);

/* A parameter whose type is known when it runs. */
enum sql_type { SQL_NOTHING, SQL_INT, SQL_REAL, SQL_TEXT };
struct sql_value {
	enum sql_type type;
	union {
		int64_t number;
		double real;
		const char *text;
	};
};

/* Likewise, with `count` values. */
struct trm_error *sql_run_values(struct sql *sql, const char *text,
				 const struct sql_value *values, size_t count);

/* Returns a copy of a statement's text that lives as long as the connection, and is the
 * same each time. */
const char *sql_keep(struct sql *sql, const char *text);

/* Runs statements without parameters, separated by semicolons. */
struct trm_error *sql_script(struct sql *sql, const char *text);

/* Reads the first column of the first row as a number; `otherwise` if there is none. */
struct trm_error *sql_number(struct sql *sql, int64_t otherwise, int64_t *ret_number,
			     const char *text, const char *types, ...);

/* The rows of a question. All-zero is none. */
struct sql_rows {
	struct sql *sql;
	void *statement;
};

/* Asks a question; see sql_run for the parameters. The same text must not be asked again
 * before its last row was read, or sql_stop. */
struct trm_error *sql_ask(struct sql *sql, struct sql_rows *ret_rows, const char *text,
			  const char *types, ...);

/* Goes to the first or next row; writes false behind the last. */
struct trm_error *sql_next(struct sql_rows *rows, bool *ret_more);

/* Ends the reading of rows before the last. */
void sql_stop(struct sql_rows *rows);

/* Values of the current row, by column from 0 on; those of pointers are valid until the
 * next row. Text is never NULL. */
int64_t sql_int(const struct sql_rows *rows, int column);
double sql_real(const struct sql_rows *rows, int column);
const char *sql_text(const struct sql_rows *rows, int column);
const void *sql_bytes(const struct sql_rows *rows, int column, size_t *ret_size);
/* Whether there is no value, or one with a fraction. */
bool sql_is_null(const struct sql_rows *rows, int column);
bool sql_is_real(const struct sql_rows *rows, int column);

/* Counts the columns of a row; runs a statement with all of them as parameters, on
 * another connection. */
int sql_columns(const struct sql_rows *rows);
struct trm_error *sql_copy_row(struct sql *to, const char *text,
			       const struct sql_rows *rows);

/* The number of the row that was inserted last, and how many the last statement changed.
 */
int64_t sql_inserted(const struct sql *sql);
int64_t sql_changed(const struct sql *sql);

/* Begins a transaction for writing, which no other writer can have at the same time;
 * waits for another one for up to a minute. sql_commit ends it; sql_undo takes all of it
 * back. sql_begin_reading begins one that sees one state of the database. */
struct trm_error *sql_begin(struct sql *sql);
struct trm_error *sql_begin_reading(struct sql *sql);
struct trm_error *sql_commit(struct sql *sql);
void sql_undo(struct sql *sql);

#endif
