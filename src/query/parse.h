/*
 * Interface between the files of the parser.
 */
#ifndef TRAMMEL_QUERY_PARSE_H
#define TRAMMEL_QUERY_PARSE_H

#include "query/lex.h"

/* Finds or adds the field with this name; writes its number. */
struct trm_error *query_add_field(struct query_parser *parser, const char *name,
				  enum query_field_kind kind, int *ret_field);

/* Parses an operator whose name, at offset `place`, was read; its parenthesis comes next.
 */
struct trm_error *query_parse_operator(struct query_parser *parser, const char *name,
				       size_t place, bool shown, size_t *ret_aggregate);

enum query_clause_kind { QUERY_IN_WHERE, QUERY_IN_HAVING, QUERY_IN_LET };

/*
 * Parses a query. On an error (TRM_ERROR_USAGE) `ret_place` is the byte offset in the
 * text to which it refers.
 */
struct trm_error *query_parse(const char *text, struct query **ret_query,
			      size_t *ret_place);

/* Parses a query for cali-query; errors as for query_parse. */
struct trm_error *query_parse_caliper(const char *text, struct query **ret_query,
				      size_t *ret_place);

#endif
