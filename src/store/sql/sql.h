/*
 * Statements of SQL on the database that a store is kept in: a file of SQLite, or one of
 * a server of PostgreSQL. Statements are the same for both; the few words that are not
 * are in a table of each (store/sql/backend.h). Statements are prepared once and kept by
 * the address of their text, so texts are literals, or live as long as the connection
 * (sql_keep).
 */
#ifndef TRAMMEL_STORE_SQL_SQL_H
#define TRAMMEL_STORE_SQL_SQL_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The remedy that an error about a damaged database names. */
#define STORE_SALVAGE "'trammel db check --repair' salvages what can be read"

struct sql;

enum sql_access {
	SQL_READ,   /* the database must be there */
	SQL_WRITE,  /* likewise */
	SQL_CREATE, /* an empty one is made if there is none */
	SQL_ADD,    /* likewise, when something is added (store_prepare) */
};

/* Opens a database: the path of a file, or an address, postgresql://... Errors: it cannot
 * be opened or written to, or is none. */
struct trm_error *sql_open(const char *path, enum sql_access access,
			   struct sql **ret_sql);

/* Closes a connection; a transaction that is under way is undone. NULL is allowed. */
void sql_close(struct sql *sql);

/* Lets a connection use less memory (`cache_kib` for pages; what does not fit goes to
 * files), and wait for other writers for `patience_ms` only. */
struct trm_error *sql_economize(struct sql *sql, int cache_kib, int patience_ms);

/* Returns the path of the file as it was given, or the address without its password. */
const char *sql_path(const struct sql *sql);

/* Tells whether it is on a server. */
bool sql_is_server(const struct sql *sql);

/*
 * Runs a statement that has no rows. `types` has a letter for each parameter that
 * follows: i an int64_t, d a double, t a text (may be NULL), b bytes (a pointer and a
 * size_t). None of these is kept beyond the call. Within a transaction the error may come
 * from a later call, at the latest from sql_commit.
 */
struct trm_error *sql_run(struct sql *sql, const char *text, const char *types, ...);

/* A parameter whose type is known when it runs. */
enum sql_type { SQL_NOTHING, SQL_INT, SQL_REAL, SQL_TEXT, SQL_BYTES };
struct sql_value {
	enum sql_type type;
	union {
		int64_t number;
		double real;
		const char *text; /* of SQL_BYTES, too */
	};
	size_t size; /* of SQL_BYTES */
};

enum { SQL_VALUES_MAX = 64 };

/* Likewise, with `count` values, at most SQL_VALUES_MAX. */
struct trm_error *sql_run_values(struct sql *sql, const char *text,
				 const struct sql_value *values, size_t count);

/* Returns a copy of a statement's text that lives as long as the connection, and is the
 * same each time. */
const char *sql_keep(struct sql *sql, const char *text);

/* Runs statements without parameters, separated by semicolons. */
struct trm_error *sql_script(struct sql *sql, const char *text);

/* Reads the first column of the first row as a number; `otherwise` if there is none. Also
 * for statements that change something and end with RETURNING. */
struct trm_error *sql_number(struct sql *sql, int64_t otherwise, int64_t *ret_number,
			     const char *text, const char *types, ...);

/* The rows of a question. All-zero is none. */
struct sql_rows {
	struct sql *sql;
	void *statement;
};

/* Ask a question; see sql_run for the parameters. The same text must not be asked again
 * before its last row was read, or sql_stop. sql_ask_many is for more rows than should be
 * in memory; the same text must always be asked in the same way. */
struct trm_error *sql_ask(struct sql *sql, struct sql_rows *ret_rows, const char *text,
			  const char *types, ...);
struct trm_error *sql_ask_many(struct sql *sql, struct sql_rows *ret_rows,
			       const char *text, const char *types, ...);

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

/* What a transaction is for. */
enum sql_purpose {
	SQL_READING, /* sees one state of the database */
	SQL_ADDING,  /* adds runs: in a file alone, on a server beside others that add */
	SQL_CHANGING /* changes what is there: no other writer at the same time */
};

/* Begins a transaction; waits for other writers for up to a minute. sql_commit ends it;
 * sql_undo takes all of it back. */
struct trm_error *sql_begin(struct sql *sql, enum sql_purpose purpose);
struct trm_error *sql_commit(struct sql *sql);
void sql_undo(struct sql *sql);

/* Tells whether the last error was that another writer was in the way: then the whole
 * transaction, begun for SQL_CHANGING, will not meet it again. */
bool sql_conflicted(const struct sql *sql);

/*
 * The number of a transaction whose connection ended while it was committed, and of which
 * the server has not told whether it was; "": there is none. sql_resolve asks on a later
 * connection; an error says that it is still not known.
 */
const char *sql_doubt(const struct sql *sql);
struct trm_error *sql_resolve(struct sql *sql, const char *doubt, bool *ret_committed);

/* In a transaction: waits until no other one has locked this number. */
struct trm_error *sql_lock(struct sql *sql, int64_t number);

/* Finds the version of the tables; 0: there is nothing, -1: tables of others. */
struct trm_error *sql_version(struct sql *sql, int64_t *ret_version);

/* Makes tables of a version, by statements as for sql_script, unless another process has
 * made some meanwhile. */
struct trm_error *sql_make_tables(struct sql *sql, const char *text, int64_t version);

/* Adds a line for each fault of the file itself. */
struct trm_error *sql_check(struct sql *sql, struct text *ret_faults);

/* Gives back what is free, after much was deleted. */
struct trm_error *sql_shrink(struct sql *sql);

#endif
