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

/* Parses a condition; a comma means "and", except in LET. */
struct trm_error *query_parse_condition(struct query_parser *parser,
					enum query_clause_kind clause,
					int *ret_condition);

/* Parses `name = expression [IF condition]` of LET. */
struct trm_error *query_parse_let(struct query_parser *parser);

/* Adds a column: for an attribute or path, or for the result of an operator. */
struct query_column *query_add_column(struct query *query, enum query_column_kind kind,
				      const char *name);
struct query_column *query_add_result(struct query *query, size_t aggregate);

/* Whether the C library's automaton for an extended regular expression has an acceptable
 * size; the expression may be invalid. */
bool query_pattern_fits(const char *text);

/* Adds the columns that follow from other clauses, and resolves the columns named by
 * ORDER BY and HAVING. */
struct trm_error *query_complete(struct query_parser *parser);

#endif
