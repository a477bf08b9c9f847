#include "probe/parse.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "probe/check.h"
#include "probe/parse_terms.h"

#include <ctype.h>
#include <string.h>

/* The offset where a point ends: at a comma or brace outside of parentheses, which names
 * of C++ and globs have. */
static size_t point_end(const struct probe_parser *parser)
{
	const char *text = parser->text;
	size_t at = parser->at;
	int depth = 0;

	for (; text[at]; at++) {
		if (strchr("(<[", text[at]))
			depth++;
		else if (strchr(")>]", text[at]) && depth)
			depth--;
		if (!depth && strchr(",{};\n", text[at]))
			break;
	}
	return at;
}

/* "0x1234" or "file.c:42". */
static void take_address(struct probe_point *point)
{
	const char *colon = strrchr(point->name, ':');
	char *end;

	if (!strncmp(point->name, "0x", 2)) {
		point->address = strtoull(point->name, &end, 16);
		if (!*end)
			point->place = PROBE_ADDRESS;
		return;
	}
	if (!colon || colon == point->name || colon[-1] == ':' ||
	    !isdigit((unsigned char)colon[1]))
		return;
	point->address = strtoull(colon + 1, &end, 10);
	if (*end)
		return;
	point->place = PROBE_LINE;
	point->name[colon - point->name] = '\0';
}

/* Names of C++ have colons in pairs: a module's name ends at the first single one. That
 * of "file.c:42" is in front of a number. */
static const char *module_colon(const char *text)
{
	const char *colon = strchr(text, ':');

	while (colon && colon[1] == ':')
		colon = strchr(colon + 2, ':');
	if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1))
		return NULL;
	return colon;
}

/* What is behind the last @ of a point. */
static struct trm_error *take_place(struct probe_parser *parser, char *text, size_t begin,
				    struct probe_point *point)
{
	char *at = strrchr(text, '@');

	/* A version of a symbol (memcpy@@GLIBC_2.14) is no place. */
	if (!at || (at > text && at[-1] == '@'))
		return NULL;
	for (size_t i = 0; probe_place_names[i]; i++)
		if (!strcmp(at + 1, probe_place_names[i])) {
			point->place = (enum probe_place)i;
			*at = '\0';
			return NULL;
		}
	return probe_complain_unknown(parser, begin + (size_t)(at + 1 - text),
				      "a function has no place", at + 1,
				      probe_place_names);
}

static struct trm_error *parse_point(struct probe_parser *parser, struct probe *probe)
{
	probe_next(parser);
	size_t begin = parser->at;

	parser->at = point_end(parser);
	scoped_free char *text = probe_text_from(parser, begin);

	if (!*text)
		return probe_complain(parser, begin,
				      "a point is missing here: a function, an address "
				      "or file.c:42");
	struct probe_point *point = vector_add(&probe->points);

	point->at = begin;
	TRM_TRY(take_place(parser, text, begin, point));
	const char *colon = module_colon(text);

	point->module = colon && colon > text ? strndup(text, (size_t)(colon - text))
					      : memory_copy_string("*");
	point->name = memory_copy_string(colon ? colon + 1 : text);
	if (point->place == PROBE_ENTRY)
		take_address(point);
	if (!*point->name)
		return probe_complain(parser, begin + strlen(text),
				      "the name of a function is missing here");
	return NULL;
}

static struct trm_error *need_integer(struct probe_parser *parser, int64_t *ret_number)
{
	bool was, minus = probe_accept(parser, "-");
	uint64_t number;

	probe_next(parser);
	size_t begin = parser->at;

	TRM_TRY(probe_read_number(parser, &was, &number));
	if (!was)
		return probe_complain(parser, begin, "a number is missing here");
	if (number > INT64_MAX)
		return probe_complain(parser, begin, "the number is too large");
	*ret_number = minus ? -(int64_t)number : (int64_t)number;
	return NULL;
}

/* The bounds of a linear histogram: hist(x, low, high, step). */
static struct trm_error *parse_bounds(struct probe_parser *parser,
				      struct probe_action *action)
{
	size_t begin = parser->at;

	action->kind = PROBE_LINEAR;
	TRM_TRY(need_integer(parser, &action->low));
	TRM_TRY(probe_need(parser, ","));
	TRM_TRY(need_integer(parser, &action->high));
	TRM_TRY(probe_need(parser, ","));
	TRM_TRY(need_integer(parser, &action->step));
	if (action->step <= 0 || action->high <= action->low ||
	    (uint64_t)(action->high - action->low - 1) / (uint64_t)action->step >=
		    PROBE_ROWS_MAX)
		return probe_complain(parser, begin,
				      "the bounds make no histogram: they are the "
				      "lowest, the highest and the width of a row, and "
				      "at most %d rows",
				      PROBE_ROWS_MAX);
	return NULL;
}

static struct trm_error *parse_operand(struct probe_parser *parser,
				       struct probe_action *action)
{
	uint32_t index = action->operand_count;

	probe_next(parser);
	size_t begin = parser->at;

	if (index == PROBE_OPERANDS_MAX)
		return probe_complain(parser, begin, "more than %d values",
				      PROBE_OPERANDS_MAX);
	TRM_TRY(probe_parse_term(parser, &action->operands[index]));
	action->operand_names[index] = probe_text_from(parser, begin);
	action->operand_count++;
	return NULL;
}

/* What is in the parentheses of an action, and the one behind them. */
static struct trm_error *parse_operands(struct probe_parser *parser,
					struct probe_action *action)
{
	static const uint8_t most[] = {
		[PROBE_SUM] = 1, [PROBE_MIN] = 1,  [PROBE_MAX] = 1,
		[PROBE_AVG] = 1, [PROBE_HIST] = 1, [PROBE_TRACE] = PROBE_OPERANDS_MAX,
	};
	int64_t limit = 0;

	if (action->kind == PROBE_TOP) {
		size_t begin = (probe_next(parser), parser->at);

		TRM_TRY(need_integer(parser, &limit));
		if (limit < 1 || limit > 10000)
			return probe_complain(parser, begin,
					      "top() shows from 1 to 10000 keys");
		action->limit = (uint32_t)limit;
		if (probe_accept(parser, ","))
			TRM_TRY(parse_operand(parser, action));
		return probe_need(parser, ")");
	}
	if (probe_accept(parser, ")")) {
		if (action->kind == PROBE_COUNT || action->kind == PROBE_TRACE)
			return NULL;
		return probe_complain(parser, parser->at - 1, "%s() needs a value",
				      probe_action_names[action->kind]);
	}
	do {
		probe_next(parser);
		if (action->kind == PROBE_HIST && action->operand_count == 1) {
			TRM_TRY(parse_bounds(parser, action));
			break;
		}
		if (action->kind == PROBE_COUNT ||
		    action->operand_count == most[action->kind])
			return probe_complain(parser, parser->at, "%s() takes %s",
					      probe_action_names[action->kind],
					      action->kind == PROBE_COUNT ? "no value"
									  : "one value");
		TRM_TRY(parse_operand(parser, action));
	} while (probe_accept(parser, ","));
	return probe_need(parser, ")");
}

static struct trm_error *parse_keys(struct probe_parser *parser,
				    struct probe_action *action)
{
	do {
		probe_next(parser);
		size_t begin = parser->at;

		if (action->key_count == PROBE_KEYS_MAX)
			return probe_complain(parser, begin, "more than %d keys",
					      PROBE_KEYS_MAX);
		TRM_TRY(probe_parse_term(parser, &action->keys[action->key_count]));
		action->key_names[action->key_count++] = probe_text_from(parser, begin);
	} while (probe_accept(parser, ","));
	return NULL;
}

/* What is behind an action: a condition and keys, in any order. */
static struct trm_error *parse_tail(struct probe_parser *parser,
				    struct probe_action *action)
{
	for (;;) {
		probe_next(parser);
		size_t begin = parser->at;

		if (probe_accept_word(parser, "if")) {
			if (action->condition != PROBE_NO_TERM)
				return probe_complain(parser, begin,
						      "it has a condition already");
			TRM_TRY(probe_parse_term(parser, &action->condition));
		} else if (probe_accept_word(parser, "by")) {
			TRM_TRY(parse_keys(parser, action));
		} else {
			return NULL;
		}
	}
}

static struct trm_error *parse_action(struct probe_parser *parser, size_t begin,
				      char *word, size_t word_at,
				      struct probe_action *action)
{
	size_t kind = 0;

	while (probe_action_names[kind] && strcmp(probe_action_names[kind], word) != 0)
		kind++;
	if (!probe_action_names[kind] || probe_next(parser) != '(') {
		if (!probe_action_names[kind])
			return probe_complain_unknown(parser, word_at,
						      "there is no action", word,
						      probe_action_names);
		return probe_complain(parser, parser->at, "\"(\" is missing here");
	}
	parser->at++;
	action->kind = (enum probe_action_kind)kind;
	TRM_TRY(parse_operands(parser, action));
	if (!action->name)
		action->name = probe_text_from(parser, begin);
	return parse_tail(parser, action);
}

/* @name = value, $name = value. */
static struct trm_error *parse_setting(struct probe_parser *parser, char mark,
				       struct probe_action *action)
{
	parser->at++;
	scoped_free char *name = probe_read_word(parser);

	if (!name)
		return probe_complain(parser, parser->at,
				      "the name of a variable is missing here");
	action->kind = mark == '@' ? PROBE_SET_THREAD : PROBE_SET_CALL;
	action->variable = probe_name_number(mark == '@' ? &parser->program->thread_names
							 : &parser->program->call_names,
					     name);
	action->name = take_pointer(name);
	TRM_TRY(probe_need(parser, "="));
	TRM_TRY(parse_operand(parser, action));
	return parse_tail(parser, action);
}

static struct trm_error *parse_named(struct probe_parser *parser, size_t begin,
				     struct probe_action *action)
{
	char next = probe_next(parser);

	if (next == '@' || next == '$')
		return parse_setting(parser, next, action);
	scoped_free char *word = probe_read_word(parser);
	size_t at = begin;

	if (!word)
		return probe_complain(parser, begin, "an action is missing here");
	probe_next(parser);
	if (parser->text[parser->at] == '=' && parser->text[parser->at + 1] != '=') {
		parser->at++;
		action->name = take_pointer(word);
		probe_next(parser);
		at = parser->at;
		word = probe_read_word(parser);
		if (!word)
			return probe_complain(parser, at, "an action is missing here");
	}
	return parse_action(parser, begin, word, at, action);
}

/* A condition or keys by themselves are those of all actions of the probe. */
struct shared {
	struct probe_action tail;
	bool any;
};

static struct trm_error *parse_statement(struct probe_parser *parser, struct probe *probe,
					 struct shared *shared)
{
	probe_next(parser);
	size_t begin = parser->at;

	if (probe_accept_word(parser, "if") || probe_accept_word(parser, "by")) {
		parser->at = begin;
		shared->any = true;
		return parse_tail(parser, &shared->tail);
	}
	struct probe_action *action = vector_add(&probe->actions);

	action->at = begin;
	action->condition = PROBE_NO_TERM;
	return parse_named(parser, begin, action);
}

static struct trm_error *add_shared_keys(struct probe_parser *parser, struct probe *probe,
					 const struct shared *shared)
{
	vector_for_each (&probe->actions, action) {
		if (action->kind >= PROBE_SET_THREAD)
			continue;
		for (uint32_t i = 0; i < shared->tail.key_count; i++) {
			if (action->key_count == PROBE_KEYS_MAX)
				return probe_complain(parser, action->at,
						      "more than %d keys",
						      PROBE_KEYS_MAX);
			action->keys[action->key_count] = shared->tail.keys[i];
			action->key_names[action->key_count++] =
				memory_copy_string(shared->tail.key_names[i]);
		}
	}
	return NULL;
}

/* Whether only spaces are between the next byte and the beginning of its line. */
static bool begins_line(const struct probe_parser *parser)
{
	size_t at = parser->at;

	while (at && isspace((unsigned char)parser->text[at - 1]))
		if (parser->text[--at] == '\n')
			return true;
	return false;
}

static struct trm_error *parse_block(struct probe_parser *parser, struct probe *probe,
				     struct shared *shared)
{
	TRM_TRY(probe_need(parser, "{"));
	for (;;) {
		while (probe_accept(parser, ";"))
			;
		if (probe_accept(parser, "}"))
			break;
		TRM_TRY(parse_statement(parser, probe, shared));
		if (probe_next(parser) != '}' && !probe_accept(parser, ";") &&
		    !begins_line(parser))
			return probe_complain(parser, parser->at,
					      "\";\" or \"}\" is missing here");
	}
	probe->condition = shared->tail.condition;
	return add_shared_keys(parser, probe, shared);
}

static struct trm_error *parse_probe(struct probe_parser *parser)
{
	struct probe *probe = vector_add(&parser->program->probes);
	struct shared shared = {.tail.condition = PROBE_NO_TERM};

	probe->source = (uint32_t)parser->program->texts.count - 1;
	size_t begin = parser->at;

	probe->first_term = (uint32_t)parser->program->terms.count;
	do
		TRM_TRY(parse_point(parser, probe));
	while (probe_accept(parser, ","));
	probe->name = probe_text_from(parser, begin);
	struct trm_error *error = parse_block(parser, probe, &shared);

	probe->end_term = (uint32_t)parser->program->terms.count;

	if (!error)
		error = probe_check(parser, probe);
	probe_action_deinit(&shared.tail);
	return error;
}

struct trm_error *probe_program_add(struct probe_program *program, const char *text,
				    size_t *ret_place)
{
	struct probe_parser parser = {.program = program};
	struct trm_error *error = NULL;

	vector_push(&program->texts, memory_copy_string(text));
	parser.text = program->texts.items[program->texts.count - 1];
	if (!probe_next(&parser))
		error = probe_complain(&parser, parser.at, "there is no probe in it");
	while (!error && probe_next(&parser))
		error = parse_probe(&parser);
	if (!error)
		error = probe_check_variables(&parser);
	*ret_place = parser.place;
	return error;
}
