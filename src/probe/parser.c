#include "probe/parser.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char probe_next(struct probe_parser *parser)
{
	for (;;) {
		char next = parser->text[parser->at];

		if (next == '#')
			parser->at += strcspn(parser->text + parser->at, "\n");
		else if (isspace((unsigned char)next))
			parser->at++;
		else
			return next;
	}
}

bool probe_accept(struct probe_parser *parser, const char *symbol)
{
	size_t length = strlen(symbol);

	probe_next(parser);
	if (strncmp(parser->text + parser->at, symbol, length) != 0)
		return false;
	parser->at += length;
	return true;
}

struct trm_error *probe_need(struct probe_parser *parser, const char *symbol)
{
	if (probe_accept(parser, symbol))
		return NULL;
	return probe_complain(parser, parser->at, "\"%s\" is missing here", symbol);
}

static bool is_word_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

/* The length of the word that comes next; 0: none. */
static size_t word_length(struct probe_parser *parser)
{
	const char *word = parser->text + parser->at;
	size_t length = 0;

	probe_next(parser);
	word = parser->text + parser->at;
	if (isdigit((unsigned char)*word))
		return 0;
	while (is_word_byte(word[length]) ||
	       (length && word[length] == ':' && word[length + 1] == ':' &&
		is_word_byte(word[length + 2])))
		length += word[length] == ':' ? 2 : 1;
	return length;
}

bool probe_accept_word(struct probe_parser *parser, const char *word)
{
	size_t length = word_length(parser);

	if (length != strlen(word) ||
	    memcmp(parser->text + parser->at, word, length) != 0)
		return false;
	parser->at += length;
	return true;
}

char *probe_read_word(struct probe_parser *parser)
{
	size_t length = word_length(parser);
	char *word;

	if (!length)
		return NULL;
	word = strndup(parser->text + parser->at, length);
	parser->at += length;
	return word;
}

static const struct {
	const char *name;
	uint64_t times;
} units[] = {
	{"", 1},           {"ns", 1},      {"us", 1000},   {"ms", 1000000},
	{"s", 1000000000}, {"K", 1 << 10}, {"k", 1 << 10}, {"M", 1 << 20},
	{"G", 1 << 30},    {NULL, 0},
};

struct trm_error *probe_read_number(struct probe_parser *parser, bool *ret_was,
				    uint64_t *ret_number)
{
	size_t begin, length;
	char *end;

	*ret_was = isdigit((unsigned char)probe_next(parser)) != 0;
	if (!*ret_was)
		return NULL;
	begin = parser->at;
	bool hexadecimal = parser->text[begin] == '0' &&
			   tolower((unsigned char)parser->text[begin + 1]) == 'x';
	unsigned long long number =
		strtoull(parser->text + begin, &end, hexadecimal ? 16 : 10);

	if (number == UINT64_MAX && end - parser->text - begin > 18)
		return probe_complain(parser, begin, "the number is too large");
	for (length = 0; is_word_byte(end[length]);)
		length++;
	for (size_t i = 0; units[i].name; i++) {
		if (strlen(units[i].name) != length ||
		    memcmp(units[i].name, end, length) != 0)
			continue;
		if (__builtin_mul_overflow(number, units[i].times, ret_number))
			return probe_complain(parser, begin, "the number is too large");
		parser->at = (size_t)(end - parser->text) + length;
		return NULL;
	}
	return probe_complain(parser, (size_t)(end - parser->text),
			      "\"%.*s\" is no unit: it is one of ns, us, ms, s, K, M "
			      "and G",
			      (int)length, end);
}

char *probe_text_from(const struct probe_parser *parser, size_t begin)
{
	size_t end = parser->at;

	while (begin < end && isspace((unsigned char)parser->text[begin]))
		begin++;
	while (end > begin && isspace((unsigned char)parser->text[end - 1]))
		end--;
	return strndup(parser->text + begin, end - begin);
}

static size_t column_of(const char *text, size_t place)
{
	size_t column = 1;

	for (size_t i = 0; i < place; i++) {
		if (text[i] == '\n')
			column = 1;
		else if (((unsigned char)text[i] & 0xc0) != 0x80)
			column++;
	}
	return column;
}

struct trm_error *probe_complain(struct probe_parser *parser, size_t place,
				 const char *format, ...)
{
	struct trm_error *error;
	char *message = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&message, format, arguments) < 0)
		message = NULL;
	va_end(arguments);
	parser->place = place;
	error = trm_error_create(TRM_ERROR_USAGE, "the probe, column %zu: %s",
				 column_of(parser->text, place), message ? message : "");
	free(message);
	return error;
}

struct trm_error *probe_complain_unknown(struct probe_parser *parser, size_t place,
					 const char *what, const char *word,
					 const char *const *names)
{
	const char *nearest = NULL;
	struct text all = {0};

	for (size_t i = 0; names[i]; i++) {
		/* A name may stand for two kinds. */
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			text_format(&all, "%s%s",
				    !i             ? ""
				    : names[i + 1] ? ", "
						   : " and ",
				    names[i]);
		if (text_is_near(word, names[i]) &&
		    (!nearest ||
		     text_distance(word, names[i]) < text_distance(word, nearest)))
			nearest = names[i];
	}
	struct trm_error *error =
		probe_complain(parser, place, "%s \"%s\": %s%s%s", what, word,
			       nearest ? "did you mean \"" : "there are ",
			       nearest ? nearest : all.data, nearest ? "\"?" : "");

	text_deinit(&all);
	return error;
}

uint32_t probe_name_number(struct probe_names *names, const char *name)
{
	uint32_t number = 0;

	vector_for_each (names, known) {
		if (!strcmp(*known, name))
			return number;
		number++;
	}
	vector_push(names, memory_copy_string(name));
	return number;
}
