/*
 * Parsing of queries: the columns.
 */
#ifndef TRAMMEL_QUERY_PARSE_COLUMNS_H
#define TRAMMEL_QUERY_PARSE_COLUMNS_H

#include "query/parse.h"

/* Adds a column: for an attribute or path, or for the result of an operator. */
struct query_column *query_add_column(struct query *query, enum query_column_kind kind,
				      const char *name);

struct query_column *query_add_result(struct query *query, size_t aggregate);

/* Adds the columns that follow from other clauses, and resolves the columns named by
 * ORDER BY and HAVING. */
struct trm_error *query_complete(struct query_parser *parser);

#endif
