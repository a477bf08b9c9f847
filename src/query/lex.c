#include "query/lex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

static struct trm_error *complain_list(struct query_parser *parser, size_t place,
				       const char *format, va_list arguments)
{
	char *message = NULL;
	size_t column = 1;

	parser->place = place;
	for (size_t i = 0; i < place; i++)
		column = parser->text[i] == '\n'                           ? 1
			 : ((unsigned char)parser->text[i] & 0xc0) == 0x80 ? column
									   : column + 1;
	if (vasprintf(&message, format, arguments) < 0)
		message = NULL;
	struct trm_error *error =
		trm_error_create(TRM_ERROR_USAGE, "the query, column %zu: %s", column,
				 message ? message : "");

	free(message);
	return error;
}

struct trm_error *query_complain(struct query_parser *parser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	struct trm_error *error =
		complain_list(parser, parser->next.begin, format, arguments);
	va_end(arguments);
	return error;
}

struct trm_error *query_complain_at(struct query_parser *parser, size_t place,
				    const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	struct trm_error *error = complain_list(parser, place, format, arguments);
	va_end(arguments);
	return error;
}

static size_t distance_any_case(const char *a, const char *b)
{
	char *x = memory_copy_string(a), *y = memory_copy_string(b);

	for (char *s = x; *s; s++)
		*s = (char)tolower((unsigned char)*s);
	for (char *s = y; *s; s++)
		*s = (char)tolower((unsigned char)*s);
	size_t distance = text_distance(x, y);

	free(x);
	free(y);
	return distance;
}

/* NULL if none is near. */
static const char *nearest_name(const char *word, const void *table, size_t row_size)
{
	const char *nearest = NULL, *row = table;
	size_t least = strlen(word) / 2 + 1;

	if (strlen(word) > 64)
		return NULL;
	for (;; row += row_size) {
		const char *name = *(const char *const *)(const void *)row;

		if (!name)
			return nearest;
		size_t distance = distance_any_case(name, word);

		if (distance <= least && (!nearest || distance < least)) {
			nearest = name;
			least = distance;
		}
	}
}

struct trm_error *query_complain_unknown(struct query_parser *parser, size_t place,
					 const char *what, const char *word,
					 const void *table, size_t row_size)
{
	const char *nearest = nearest_name(word, table, row_size);

	return query_complain_at(parser, place, "%s \"%s\"%s%s%s", what, word,
				 nearest ? ", did you mean \"" : "",
				 nearest ? nearest : "", nearest ? "\"?" : "");
}

static const char *const symbols[] = {"==", "=~", "=", "!=", "<=", ">=", "<>", "<",
				      ">",  "~=", "(", ")",  ",",  ";",  NULL};
static const char *const signs[] = {"+", "-", "*", "/", NULL};

static const char *starts_with(const char *at, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(at, *list, strlen(*list)))
			return *list;
	return NULL;
}

/* Whether an unquoted word ends in front of `at`. */
static bool ends_word(const struct query_parser *parser, const char *begin,
		      const char *at)
{
	if (!*at || isspace((unsigned char)*at) || starts_with(at, symbols))
		return true;
	if (!parser->arithmetic || *at == '-' || !strchr("+*/", *at))
		return false;
	/* The + of 1e+9 */
	return !(*at == '+' && at > begin && isdigit((unsigned char)*begin) &&
		 (at[-1] == 'e' || at[-1] == 'E'));
}

/* Adds the text between the quotes at `at` to the word; returns the end, NULL if the
 * closing quote is missing. */
static const char *read_quoted(const char *at, struct text *word)
{
	for (at++; *at && *at != '"'; at++) {
		if (*at == '\\' && at[1])
			at++;
		text_add_bytes(word, at, 1);
	}
	return *at ? at + 1 : NULL;
}

static struct trm_error *read_word(struct query_parser *parser, const char *begin)
{
	struct query_token *token = &parser->next;
	const char *at = begin;

	token->kind = QUERY_WORD;
	text_add(&token->word, "");
	while (!ends_word(parser, begin, at)) {
		if (*at == '"') {
			token->quoted = true;
			at = read_quoted(at, &token->word);
			if (!at)
				return query_complain(parser,
						      "the quotes that begin here do not "
						      "end");
			continue;
		}
		if (*at == '\\' && at[1]) {
			token->quoted = true;
			at++;
		}
		text_add_bytes(&token->word, at++, 1);
	}
	token->end = (size_t)(at - parser->text);
	return NULL;
}

struct trm_error *query_peek(struct query_parser *parser)
{
	struct query_token *token = &parser->next;

	if (parser->peeked)
		return NULL;
	while (isspace((unsigned char)parser->text[parser->at]))
		parser->at++;
	const char *at = parser->text + parser->at, *symbol = starts_with(at, symbols);

	if (!symbol && parser->arithmetic)
		symbol = starts_with(at, signs);
	token->quoted = false;
	token->word.length = 0;
	token->begin = token->end = parser->at;
	if (!*at) {
		token->kind = QUERY_END;
	} else if (symbol) {
		token->kind = QUERY_SYMBOL;
		token->end += strlen(symbol);
		text_add(&token->word, symbol);
	} else {
		TRM_TRY(read_word(parser, at));
	}
	parser->peeked = true;
	return NULL;
}

void query_skip(struct query_parser *parser)
{
	parser->at = parser->next.end;
	parser->peeked = false;
}

void query_set_arithmetic(struct query_parser *parser, bool arithmetic)
{
	if (parser->arithmetic != arithmetic)
		parser->peeked = false;
	parser->arithmetic = arithmetic;
}

bool query_is_word(const struct query_parser *parser, const char *keyword)
{
	return parser->next.kind == QUERY_WORD && !parser->next.quoted &&
	       !strcasecmp(parser->next.word.data, keyword);
}

bool query_is_symbol(const struct query_parser *parser, const char *symbol)
{
	return parser->next.kind == QUERY_SYMBOL &&
	       !strcmp(parser->next.word.data, symbol);
}

struct trm_error *query_accept_word(struct query_parser *parser, const char *keyword,
				    bool *ret_was)
{
	TRM_TRY(query_peek(parser));
	*ret_was = query_is_word(parser, keyword);
	if (*ret_was)
		query_skip(parser);
	return NULL;
}

struct trm_error *query_accept_symbol(struct query_parser *parser, const char *symbol,
				      bool *ret_was)
{
	TRM_TRY(query_peek(parser));
	*ret_was = query_is_symbol(parser, symbol);
	if (*ret_was)
		query_skip(parser);
	return NULL;
}

struct trm_error *query_need_symbol(struct query_parser *parser, const char *symbol)
{
	bool was;

	TRM_TRY(query_accept_symbol(parser, symbol, &was));
	return was ? NULL : query_complain(parser, "\"%s\" is missing here", symbol);
}

struct trm_error *query_need_word(struct query_parser *parser, const char *what,
				  char **ret_word)
{
	TRM_TRY(query_peek(parser));
	if (parser->next.kind != QUERY_WORD)
		return query_complain(parser, "%s is missing here", what);
	*ret_word = memory_copy_string(parser->next.word.data);
	query_skip(parser);
	return NULL;
}

struct trm_error *query_need_pattern(struct query_parser *parser, char **ret_pattern,
				     bool *ret_any_case)
{
	struct text pattern = {0};

	*ret_any_case = false;
	TRM_TRY(query_peek(parser));
	size_t begin = parser->next.begin;
	const char *at = parser->text + begin;

	if (*at != '/')
		return query_need_word(parser, "a pattern", ret_pattern);
	text_add(&pattern, "");
	for (at++; *at && *at != '/'; at++) {
		/* \/ is a slash; all else is the pattern's. */
		if (*at == '\\' && at[1] == '/')
			at++;
		else if (*at == '\\' && at[1])
			text_add_bytes(&pattern, at++, 1);
		text_add_bytes(&pattern, at, 1);
	}
	if (!*at) {
		text_deinit(&pattern);
		return query_complain_at(parser, begin,
					 "the pattern that begins here has no / at its "
					 "end");
	}
	at++;
	*ret_any_case = *at == 'i';
	parser->at = (size_t)(at - parser->text) + *ret_any_case;
	parser->peeked = false;
	*ret_pattern = pattern.data;
	return NULL;
}
