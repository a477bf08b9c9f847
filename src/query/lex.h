/*
 * The words of a query's text, and errors that point at them. Only for the parser.
 */
#ifndef TRAMMEL_QUERY_LEX_H
#define TRAMMEL_QUERY_LEX_H

#include "query/query.h"

enum query_token_kind { QUERY_END, QUERY_WORD, QUERY_SYMBOL };

struct query_token {
	enum query_token_kind kind;
	bool quoted;  /* a word that cannot be a keyword */
	size_t begin; /* where it is in the text */
	size_t end;
	struct text word; /* without quotes; of a symbol the symbol */
};

struct query_parser {
	struct query *query;
	const char *text;
	size_t at;               /* what was read of the text */
	struct query_token next; /* if `peeked` */
	bool peeked;
	bool arithmetic;          /* words end at + * and /, too */
	int depth;                /* of parentheses */
	size_t place;             /* of the error */
	size_t format_place;      /* of the name behind FORMAT */
	struct VECTOR(bool) seen; /* clauses, by row of the table */
};

/* The next token, which stays the next one; an error where a quote does not end. */
struct trm_error *query_peek(struct query_parser *parser);
/* Goes behind the token that was peeked. */
void query_skip(struct query_parser *parser);
/* Whether words end at + * and / from here on. */
void query_set_arithmetic(struct query_parser *parser, bool arithmetic);

/* Whether the next token is this keyword or symbol; it is skipped if so. Callers have
 * peeked. */
bool query_is_word(const struct query_parser *parser, const char *keyword);
bool query_is_symbol(const struct query_parser *parser, const char *symbol);
struct trm_error *query_accept_word(struct query_parser *parser, const char *keyword,
				    bool *ret_was);
struct trm_error *query_accept_symbol(struct query_parser *parser, const char *symbol,
				      bool *ret_was);
struct trm_error *query_need_symbol(struct query_parser *parser, const char *symbol);
/* A word, quoted or not; free() it. `what` is for the error: "the name of a format". */
struct trm_error *query_need_word(struct query_parser *parser, const char *what,
				  char **ret_word);
/* What is behind =~: /.../, maybe with an i behind it, or a word. */
struct trm_error *query_need_pattern(struct query_parser *parser, char **ret_pattern,
				     bool *ret_any_case);

/* An error about the next token, or about any place. */
struct trm_error *query_complain(struct query_parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));
struct trm_error *query_complain_at(struct query_parser *parser, size_t place,
				    const char *format, ...)
	__attribute__((format(printf, 3, 4), warn_unused_result));

/* An error about a word at a place: `what "word"`, and the name that is near, if any. The
 * rows of the table, of `row_size` bytes each, begin with a name, NULL in the last. */
struct trm_error *query_complain_unknown(struct query_parser *parser, size_t place,
					 const char *what, const char *word,
					 const void *table, size_t row_size);

#endif
