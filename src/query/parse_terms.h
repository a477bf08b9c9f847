/*
 * Parsing of queries: conditions and expressions.
 */
#ifndef TRAMMEL_QUERY_PARSE_TERMS_H
#define TRAMMEL_QUERY_PARSE_TERMS_H

#include "query/parse.h"

/* Parses a condition; a comma means "and", except in LET. */
struct trm_error *query_parse_condition(struct query_parser *parser,
					enum query_clause_kind clause,
					int *ret_condition);

/* Parses `name = expression [IF condition]` of LET. */
struct trm_error *query_parse_let(struct query_parser *parser);

#endif
