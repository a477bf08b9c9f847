/* Databases on servers, by PostgreSQL's libpq, which is loaded when one is first opened.
 */
#ifndef TRAMMEL_STORE_SQL_POSTGRES_H
#define TRAMMEL_STORE_SQL_POSTGRES_H

#include "store/sql/sql.h"

/* Opens a database by its address; see sql_open. An error if this trammel was built
 * without libpq, or it is not there. */
struct trm_error *postgres_open(const char *address, enum sql_access access,
				struct sql **ret_sql);

#endif
