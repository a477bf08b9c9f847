/* Databases in files, by SQLite: what is beyond store/sql/sql.h. */
#ifndef TRAMMEL_STORE_SQL_SQLITE_H
#define TRAMMEL_STORE_SQL_SQLITE_H

#include "store/sql/sql.h"

/* Opens a file; see sql_open. */
struct trm_error *sqlite_open(const char *path, enum sql_access access,
			      struct sql **ret_sql);

/* Opens a file whose list of tables is damaged with that of `like`, a file with the same
 * tables. What is read is as in the file; nothing is written to it. */
struct trm_error *sqlite_open_like(const char *path, const char *like,
				   struct sql **ret_sql);

/* Has a file that was just made go when it is closed, if the question `used`, a number,
 * says 0 then, or if it has no tables. The text is not copied. */
void sqlite_drop_unused(struct sql *sql, const char *used);

/* Counts the columns of a row; runs a statement with all of them as parameters on another
 * connection. Both are files. */
int sqlite_columns(const struct sql_rows *rows);
struct trm_error *sqlite_copy_row(struct sql *to, const char *text,
				  const struct sql_rows *rows);

#endif
