/*
 * What a database has to be able to do for store/sql/sql.h. There are two:
 * store/sql/sqlite.c and store/sql/postgres.c. Each begins its connection with a struct
 * sql.
 */
#ifndef TRAMMEL_STORE_SQL_BACKEND_H
#define TRAMMEL_STORE_SQL_BACKEND_H

#include "base/text.h"
#include "base/vector.h"
#include "store/sql/sql.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word of statements as it is in store/, and what the database has for it. */
struct sql_word {
	const char *ours, *theirs;
	bool and_name; /* the name behind it goes, too */
};

/* How a statement is run. */
enum sql_manner {
	SQL_NO_ROWS,
	SQL_FEW_ROWS,
	SQL_MANY_ROWS,
};

struct sql_backend {
	const struct sql_word *words; /* the last one is empty */
	bool server;
	bool numbered; /* parameters are $1, $2, not ? */
	void (*close)(struct sql *sql);
	struct trm_error *(*economize)(struct sql *sql, int cache_kib, int patience_ms);
	struct trm_error *(*script)(struct sql *sql, const char *text);
	struct trm_error *(*prepare)(struct sql *sql, const char *text,
				     enum sql_manner manner, void **ret_statement);
	void (*release)(void *statement);
	struct trm_error *(*start)(void *statement, const struct sql_value *values,
				   size_t count);
	struct trm_error *(*step)(void *statement, bool *ret_more);
	void (*stop)(void *statement);
	int64_t (*get_int)(const void *statement, int column);
	double (*get_real)(const void *statement, int column);
	const void *(*get_bytes)(void *statement, int column, size_t *ret_size);
	bool (*is_null)(const void *statement, int column);
	bool (*is_real)(const void *statement, int column);
	struct trm_error *(*begin)(struct sql *sql, enum sql_purpose purpose);
	struct trm_error *(*commit)(struct sql *sql);
	void (*undo)(struct sql *sql);
	bool (*conflicted)(const struct sql *sql); /* NULL: never; so are these two */
	const char *(*doubt)(const struct sql *sql);
	struct trm_error *(*resolve)(struct sql *sql, const char *doubt,
				     bool *ret_committed);
	struct trm_error *(*lock)(struct sql *sql, int64_t number);
	struct trm_error *(*version)(struct sql *sql, int64_t *ret_version);
	struct trm_error *(*make_tables)(struct sql *sql, const char *text,
					 int64_t version);
	struct trm_error *(*check)(struct sql *sql, struct text *ret_faults);
	struct trm_error *(*shrink)(struct sql *sql);
};

struct sql_kept {
	const char *text;
	void *statement;
};

/* The beginning of each connection. */
struct sql {
	const struct sql_backend *backend;
	char *path; /* as it is shown */
	struct VECTOR(struct sql_kept) kept;
	struct VECTOR(char *) texts; /* of sql_keep */
};

/* Writes a statement in the words of a database. */
void sql_translate(const struct sql_backend *backend, const char *text,
		   struct text *ret_text);

/* Frees what each connection has, its statements first. */
void sql_deinit(struct sql *sql);

#endif
