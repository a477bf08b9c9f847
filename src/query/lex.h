/*
 * Tokens of a query's text, and errors that point at them. Only for the parser.
 */
#ifndef TRAMMEL_QUERY_LEX_H
#define TRAMMEL_QUERY_LEX_H

#include "query/query.h"

enum query_token_kind { QUERY_END, QUERY_WORD, QUERY_SYMBOL };

struct query_token {
	enum query_token_kind kind;
	bool quoted;  /* a word that cannot be a keyword */
	size_t begin; /* offsets in the text, bytes */
	size_t end;
	struct text word; /* without quotes; the symbol itself for a QUERY_SYMBOL */
};

struct query_parser {
	struct query *query;
	const char *text;
	size_t at;               /* bytes of the text that were read */
	struct query_token next; /* if `peeked` */
	bool peeked;
	bool arithmetic;          /* words end at + * and /, too */
	int depth;                /* of parentheses */
	size_t place;             /* of the error */
	size_t format_place;      /* of the name behind FORMAT */
	struct VECTOR(bool) seen; /* clauses, by row of the table */
};

/* Reads the next token without consuming it; error: a quote without an end. */
struct trm_error *query_peek(struct query_parser *parser);
/* Consumes the token that was peeked. */
void query_skip(struct query_parser *parser);
/* Sets whether words end at + * and / from here on. */
void query_set_arithmetic(struct query_parser *parser, bool arithmetic);

/* Tests the next token, which must have been peeked, for a keyword or symbol;
 * query_accept_... peek and consume it on a match, query_need_symbol requires it. */
bool query_is_word(const struct query_parser *parser, const char *keyword);
bool query_is_symbol(const struct query_parser *parser, const char *symbol);
struct trm_error *query_accept_word(struct query_parser *parser, const char *keyword,
				    bool *ret_was);
struct trm_error *query_accept_symbol(struct query_parser *parser, const char *symbol,
				      bool *ret_was);
struct trm_error *query_need_symbol(struct query_parser *parser, const char *symbol);
/* Reads a word, quoted or not; free() it. `what` is for the error: "the name of a
 * format". */
struct trm_error *query_need_word(struct query_parser *parser, const char *what,
				  char **ret_word);
/* Reads the operand of =~: /.../, maybe with an i behind it, or a word. */
struct trm_error *query_need_pattern(struct query_parser *parser, char **ret_pattern,
				     bool *ret_any_case);

/* Makes an error about the next token, or about offset `place`. */
struct trm_error *query_complain(struct query_parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));
struct trm_error *query_complain_at(struct query_parser *parser, size_t place,
				    const char *format, ...)
	__attribute__((format(printf, 3, 4), warn_unused_result));

/* Makes an error about a word at an offset: `what "word"`, with a suggestion if a name is
 * similar. The rows of the table, of `row_size` bytes each, begin with a name, NULL in
 * the last. */
struct trm_error *query_complain_unknown(struct query_parser *parser, size_t place,
					 const char *what, const char *word,
					 const void *table, size_t row_size);

#endif
