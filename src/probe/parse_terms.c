/* Terms of probes: values, operators by their precedence as in C, casts and members. */
#include "probe/parse_terms.h"

#include "base/array.h"
#include "base/cleanup.h"

#include <ctype.h>
#include <string.h>

/* Operators with two operands, the longer ones of those that begin alike first. */
static const struct {
	const char *symbol;
	uint8_t precedence;
	uint8_t kind; /* enum probe_symbol */
} operators[] = {
	{"||", 1, PROBE_OR},         {"&&", 2, PROBE_AND},
	{"==", 6, PROBE_EQUAL},      {"!=", 6, PROBE_UNEQUAL},
	{"<<", 8, PROBE_SHIFT_LEFT}, {">>", 8, PROBE_SHIFT_RIGHT},
	{"<=", 7, PROBE_LESS_EQUAL}, {">=", 7, PROBE_GREATER_EQUAL},
	{"<", 7, PROBE_LESS},        {">", 7, PROBE_GREATER},
	{"|", 3, PROBE_BIT_OR},      {"^", 4, PROBE_BIT_XOR},
	{"&", 5, PROBE_BIT_AND},     {"+", 9, PROBE_PLUS},
	{"-", 9, PROBE_MINUS},       {"*", 10, PROBE_TIMES},
	{"/", 10, PROBE_DIVIDE},     {"%", 10, PROBE_REST},
};

/* Words that are values by themselves. */
static const struct {
	const char *word;
	enum probe_term_kind kind;
} words[] = {
	{"ret", PROBE_RESULT},          {"fret", PROBE_FLOAT_RESULT},
	{"ns", PROBE_ELAPSED},          {"time", PROBE_TIME},
	{"thread", PROBE_THREAD},       {"caller", PROBE_CALLER},
	{"function", PROBE_FUNCTION},   {"pc", PROBE_PC},
	{"address", PROBE_ACCESS},      {"size", PROBE_ACCESS_SIZE},
	{"value", PROBE_ACCESS_VALUE},  {"trips", PROBE_TRIPS},
	{"srcline", PROBE_SOURCE_LINE},
};

static const char *const registers[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
					"rsi", "rdi", "r8",  "r9",  "r10", "r11",
					"r12", "r13", "r14", "r15"};

static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} number_types[] = {
	{"u8", 1, false},       {"u16", 2, false},      {"u32", 4, false},
	{"u64", 8, false},      {"i8", 1, true},        {"i16", 2, true},
	{"i32", 4, true},       {"i64", 8, true},       {"uint8_t", 1, false},
	{"uint16_t", 2, false}, {"uint32_t", 4, false}, {"uint64_t", 8, false},
	{"int8_t", 1, true},    {"int16_t", 2, true},   {"int32_t", 4, true},
	{"int64_t", 8, true},   {"char", 1, true},      {"short", 2, true},
	{"int", 4, true},       {"long", 8, true},      {"size_t", 8, false},
	{"ssize_t", 8, true},   {"bool", 1, false},
};

static struct probe_term *add_term(struct probe_parser *parser, enum probe_term_kind kind,
				   size_t at, uint32_t *ret_term)
{
	struct probe_term *term = vector_add(&parser->program->terms);

	term->kind = kind;
	term->at = at;
	term->first = term->second = PROBE_NO_TERM;
	*ret_term = (uint32_t)parser->program->terms.count - 1;
	return term;
}

/* A term with one operand. */
static struct probe_term *add_over(struct probe_parser *parser, enum probe_term_kind kind,
				   size_t at, uint32_t first, uint32_t *ret_term)
{
	struct probe_term *term = add_term(parser, kind, at, ret_term);

	term->first = first;
	return term;
}

static struct trm_error *parse_level(struct probe_parser *parser, uint8_t least,
				     uint32_t *ret_term);

/* "unsigned", "unsigned long". */
static bool read_unsigned(struct probe_parser *parser, struct probe_type_name *type)
{
	if (!probe_accept_word(parser, "unsigned"))
		return false;
	type->size = 4;
	for (size_t i = 0; i < array_count(number_types); i++)
		if (number_types[i].is_signed &&
		    strchr("csil", number_types[i].name[0]) &&
		    probe_accept_word(parser, number_types[i].name)) {
			type->size = number_types[i].size;
			break;
		}
	return true;
}

static void read_number_type(struct probe_type_name *type)
{
	for (size_t i = 0; i < array_count(number_types); i++) {
		if (strcmp(type->name, number_types[i].name) != 0)
			continue;
		free(type->name);
		type->name = NULL;
		type->size = number_types[i].size;
		type->is_signed = number_types[i].is_signed;
		return;
	}
}

/* A type in parentheses; false, and nothing is read, if it is a term. */
static bool read_cast(struct probe_parser *parser, struct probe_type_name *type)
{
	static const char *const kinds[] = {"struct", "union", "enum", "class"};
	size_t begin = parser->at;
	bool named = false;

	*type = (struct probe_type_name){0};
	if (!read_unsigned(parser, type)) {
		probe_accept_word(parser, "const");
		for (size_t i = 0; i < array_count(kinds); i++)
			named |= probe_accept_word(parser, kinds[i]);
		type->name = probe_read_word(parser);
		if (type->name && !named)
			read_number_type(type);
	}
	probe_accept_word(parser, "const");
	while (probe_accept(parser, "*"))
		type->pointers++;
	if ((type->name || type->size) && probe_accept(parser, ")") &&
	    (!type->name || type->pointers))
		return true;
	free(type->name);
	type->name = NULL;
	parser->at = begin;
	return false;
}

static bool find_register(const char *word, uint64_t *ret_number)
{
	for (size_t i = 0; i < array_count(registers); i++)
		if (!strcmp(word, registers[i])) {
			*ret_number = i;
			return true;
		}
	return false;
}

/* arg0, arg1, ...; `start` is "arg" or "farg". */
static bool find_argument(const char *word, const char *start, uint64_t *ret_number)
{
	const size_t length = strlen(start);

	if (strncmp(word, start, length) != 0 || !isdigit((unsigned char)word[length]) ||
	    strspn(word + length, "0123456789") != strlen(word + length) ||
	    strlen(word) > length + 2)
		return false;
	*ret_number = strtoull(word + length, NULL, 10);
	return true;
}

/* scaled(x, 1000) */
static struct trm_error *parse_scaled(struct probe_parser *parser, size_t begin,
				      uint32_t *ret_term)
{
	uint32_t first;
	uint64_t number;
	bool was;

	TRM_TRY(probe_need(parser, "("));
	TRM_TRY(parse_level(parser, 1, &first));
	TRM_TRY(probe_need(parser, ","));
	probe_next(parser);
	size_t at = parser->at;

	TRM_TRY(probe_read_number(parser, &was, &number));
	if (!was || !number || number > PROBE_SCALE_MAX)
		return probe_complain(parser, at, "scaled() takes a number from 1 to %d",
				      PROBE_SCALE_MAX);
	TRM_TRY(probe_need(parser, ")"));
	add_over(parser, PROBE_SCALED, begin, first, ret_term)->number = number;
	return NULL;
}

static struct trm_error *parse_string(struct probe_parser *parser, size_t begin,
				      uint32_t *ret_term)
{
	uint32_t first;

	TRM_TRY(probe_need(parser, "("));
	TRM_TRY(parse_level(parser, 1, &first));
	TRM_TRY(probe_need(parser, ")"));
	add_over(parser, PROBE_STRING, begin, first, ret_term);
	return NULL;
}

/* "region" was read: a value of ours is region.path alone. */
static struct trm_error *parse_region(struct probe_parser *parser, size_t begin,
				      uint32_t *ret_term)
{
	probe_next(parser);
	size_t at = parser->at;

	if (probe_accept(parser, ".") && probe_accept_word(parser, "path")) {
		add_term(parser, PROBE_REGION, begin, ret_term);
		return NULL;
	}
	parser->at = at;
	add_term(parser, PROBE_VARIABLE, begin, ret_term)->name =
		memory_copy_string("region");
	return NULL;
}

static struct trm_error *parse_word(struct probe_parser *parser, size_t begin, char *word,
				    uint32_t *ret_term)
{
	struct probe_term *term;
	uint64_t number;

	if (!strcmp(word, "str"))
		return parse_string(parser, begin, ret_term);
	if (!strcmp(word, "scaled"))
		return parse_scaled(parser, begin, ret_term);
	if (!strcmp(word, "region"))
		return parse_region(parser, begin, ret_term);
	for (size_t i = 0; i < array_count(words); i++)
		if (!strcmp(word, words[i].word)) {
			add_term(parser, words[i].kind, begin, ret_term)->name =
				memory_copy_string(word);
			return NULL;
		}
	if (find_argument(word, "farg", &number))
		add_term(parser, PROBE_FLOAT_ARGUMENT, begin, ret_term)->number = number;
	else if (find_argument(word, "arg", &number))
		add_term(parser, PROBE_ARGUMENT, begin, ret_term)->number = number;
	else if (find_register(word, &number))
		add_term(parser, PROBE_REGISTER, begin, ret_term)->number = number;
	else if (probe_next(parser) == '(')
		return probe_complain(parser, begin,
				      "\"%s\" cannot be called in a value: there is only "
				      "str(pointer), and scaled(number, 1000)",
				      word);
	else {
		term = add_term(parser, PROBE_VARIABLE, begin, ret_term);
		term->name = memory_copy_string(word);
	}
	return NULL;
}

/* A name of the measured program that means something here: `time`. */
static struct trm_error *parse_quoted(struct probe_parser *parser, size_t begin,
				      char quote, uint32_t *ret_term)
{
	const char *from = parser->text + ++parser->at, *end = strchr(from, quote);
	struct probe_term *term;

	if (!end)
		return probe_complain(parser, begin,
				      "the quotes that begin here do not end");
	term = add_term(parser, quote == '"' ? PROBE_LITERAL : PROBE_VARIABLE, begin,
			ret_term);
	term->name = strndup(from, (size_t)(end - from));
	parser->at = (size_t)(end + 1 - parser->text);
	if (quote == '"' && end - from > PROBE_STRING_MAX)
		return probe_complain(parser, begin,
				      "the string has more than %d characters",
				      PROBE_STRING_MAX);
	return NULL;
}

/* @name and $name. */
static struct trm_error *parse_own(struct probe_parser *parser, size_t begin, char mark,
				   uint32_t *ret_term)
{
	struct probe_program *program = parser->program;

	parser->at++;
	scoped_free char *name = probe_read_word(parser);

	if (!name)
		return probe_complain(parser, parser->at,
				      "the name of a variable is missing here");
	uint32_t number = probe_name_number(
		mark == '@' ? &program->thread_names : &program->call_names, name);

	add_term(parser, mark == '@' ? PROBE_THREAD_VARIABLE : PROBE_CALL_VARIABLE, begin,
		 ret_term)
		->number = number;
	return NULL;
}

static struct trm_error *parse_primary(struct probe_parser *parser, uint32_t *ret_term)
{
	char next = probe_next(parser);
	size_t begin = parser->at;
	uint64_t number;
	bool was;

	TRM_TRY(probe_read_number(parser, &was, &number));
	if (was) {
		add_term(parser, PROBE_NUMBER, begin, ret_term)->number = number;
		return NULL;
	}
	if (next == '"' || next == '`')
		return parse_quoted(parser, begin, next, ret_term);
	if (next == '@' || next == '$')
		return parse_own(parser, begin, next, ret_term);
	if (probe_accept(parser, "(")) {
		TRM_TRY(parse_level(parser, 1, ret_term));
		return probe_need(parser, ")");
	}
	scoped_free char *word = probe_read_word(parser);

	if (!word)
		return probe_complain(parser, begin, "a value is missing here");
	return parse_word(parser, begin, word, ret_term);
}

/* What is behind a value: ->member, .member, [index]. */
static struct trm_error *parse_postfix(struct probe_parser *parser, uint32_t *ret_term)
{
	TRM_TRY(parse_primary(parser, ret_term));
	for (;;) {
		struct probe_term *term;
		uint32_t second;

		probe_next(parser);
		size_t begin = parser->at;
		bool arrow = probe_accept(parser, "->");

		if (arrow || probe_accept(parser, ".")) {
			scoped_free char *name = probe_read_word(parser);

			if (!name)
				return probe_complain(
					parser, parser->at,
					"the name of a member is missing here");
			term = add_over(parser, PROBE_MEMBER, begin, *ret_term, ret_term);
			term->name = take_pointer(name);
			term->number = arrow;
		} else if (probe_accept(parser, "[")) {
			TRM_TRY(parse_level(parser, 1, &second));
			TRM_TRY(probe_need(parser, "]"));
			term = add_over(parser, PROBE_INDEX, begin, *ret_term, ret_term);
			term->second = second;
		} else {
			return NULL;
		}
	}
}

static struct trm_error *parse_unary(struct probe_parser *parser, uint32_t *ret_term)
{
	static const struct {
		const char *symbol;
		enum probe_symbol kind;
	} unary[] = {{"!", PROBE_NOT}, {"-", PROBE_NEGATE}, {"~", PROBE_COMPLEMENT}};
	struct probe_type_name type;
	uint32_t first;

	probe_next(parser);
	size_t begin = parser->at;

	for (size_t i = 0; i < array_count(unary); i++) {
		if (!probe_accept(parser, unary[i].symbol))
			continue;
		TRM_TRY(parse_level(parser, 11, &first));
		add_over(parser, PROBE_UNARY, begin, first, ret_term)->symbol =
			unary[i].kind;
		return NULL;
	}
	if (probe_accept(parser, "*")) {
		TRM_TRY(parse_level(parser, 11, &first));
		add_over(parser, PROBE_FOLLOW, begin, first, ret_term);
		return NULL;
	}
	if (probe_accept(parser, "(")) {
		if (read_cast(parser, &type)) {
			struct trm_error *error = parse_level(parser, 11, &first);

			if (error)
				free(type.name);
			else
				add_over(parser, PROBE_CAST, begin, first, ret_term)
					->type = type;
			return error;
		}
		parser->at = begin;
	}
	return parse_postfix(parser, ret_term);
}

/* The operator that comes next, if it binds at least so tightly; -1: none. */
static int next_operator(struct probe_parser *parser, uint8_t least)
{
	for (size_t i = 0; i < array_count(operators); i++) {
		size_t begin = parser->at;

		if (!probe_accept(parser, operators[i].symbol))
			continue;
		if (operators[i].precedence >= least)
			return (int)i;
		parser->at = begin;
		return -1;
	}
	return -1;
}

/* Terms of operators that bind at least as tightly as `least`; 11: none with two
 * operands. */
static struct trm_error *parse_level(struct probe_parser *parser, uint8_t least,
				     uint32_t *ret_term)
{
	int op;

	probe_next(parser);
	if (++parser->depth > PROBE_DEPTH_MAX)
		return probe_complain(parser, parser->at, "terms are nested too deeply");
	TRM_TRY(parse_unary(parser, ret_term));
	for (;;) {
		uint32_t second;

		probe_next(parser);
		size_t begin = parser->at;

		op = next_operator(parser, least);
		if (op < 0)
			break;
		TRM_TRY(parse_level(parser, (uint8_t)(operators[op].precedence + 1),
				    &second));
		struct probe_term *term =
			add_over(parser, PROBE_BINARY, begin, *ret_term, ret_term);

		term->symbol = (enum probe_symbol)operators[op].kind;
		term->second = second;
	}
	parser->depth--;
	return NULL;
}

struct trm_error *probe_parse_term(struct probe_parser *parser, uint32_t *ret_term)
{
	parser->depth = 0;
	return parse_level(parser, 1, ret_term);
}
