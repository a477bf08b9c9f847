/*
 * The parts of the parser. Only for its files.
 */
#ifndef TRAMMEL_QUERY_PARSE_H
#define TRAMMEL_QUERY_PARSE_H

#include "query/lex.h"

/* The number of the field of this name, made if it is new. */
struct trm_error *query_add_field(struct query_parser *parser, const char *name,
				  enum query_field_kind kind, int *ret_field);

/* An operator with what is in the parentheses behind its name, the first of which comes
 * next: `name` stands at `place`. */
struct trm_error *query_parse_operator(struct query_parser *parser, const char *name,
				       size_t place, bool shown, size_t *ret_aggregate);

enum query_clause_kind { QUERY_IN_WHERE, QUERY_IN_HAVING, QUERY_IN_LET };

/* A condition; a comma is "and" but in LET. */
struct trm_error *query_parse_condition(struct query_parser *parser,
					enum query_clause_kind clause,
					int *ret_condition);

/* `name = expression [IF condition]` of LET. */
struct trm_error *query_parse_let(struct query_parser *parser);

/* A new column: of an attribute or the like, or of an operator's result. */
struct query_column *query_add_column(struct query *query, enum query_column_kind kind,
				      const char *name);
struct query_column *query_add_result(struct query *query, size_t aggregate);

/* Whether the C library's automaton of an extended regular expression has a size that
 * anybody needs; it need not be a right one. */
bool query_pattern_fits(const char *text);

/* Adds the columns that follow from other clauses, and finds those that ORDER BY and
 * HAVING name. */
struct trm_error *query_complete(struct query_parser *parser);

#endif
