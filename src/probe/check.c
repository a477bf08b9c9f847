#include "probe/check.h"

#include "base/array.h"
#include "probe/cells.h"

#include <string.h>

#define AT(place) (1 << PROBE_##place)

/* Where each kind of value can be had. */
static const struct {
	uint16_t places;
	const char *where; /* for an error */
	bool text;
} kinds[PROBE_TERM_KINDS] = {
	[PROBE_NUMBER] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_LITERAL] = {PROBE_ANYWHERE, NULL, true},
	[PROBE_VARIABLE] = {PROBE_ANYWHERE & ~AT(CALL),
			    "inside of functions, not at their calls", false},
	[PROBE_ARGUMENT] = {PROBE_IN_FRAME | AT(CALL),
			    "at a function's entry, its return and its calls", false},
	[PROBE_FLOAT_ARGUMENT] = {AT(ENTRY) | AT(CALL),
				  "at a function's entry and its calls", false},
	[PROBE_FLOAT_RESULT] = {AT(RETURN), "at F@return", false},
	[PROBE_SCALED] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_REGISTER] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_RESULT] = {AT(RETURN), "at F@return", false},
	[PROBE_ELAPSED] = {AT(RETURN), "at F@return", false},
	[PROBE_TIME] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_THREAD] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_CALLER] = {PROBE_IN_FRAME, "at a function's entry and return", false},
	[PROBE_REGION] = {PROBE_ANYWHERE, NULL, true},
	[PROBE_PHASE] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_FUNCTION] = {PROBE_ANYWHERE, NULL, true},
	[PROBE_SOURCE_LINE] = {PROBE_ANYWHERE, NULL, true},
	[PROBE_PC] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_ACCESS] = {AT(LOAD) | AT(STORE), "at F@load and F@store", false},
	[PROBE_ACCESS_SIZE] = {AT(LOAD) | AT(STORE), "at F@load and F@store", false},
	[PROBE_ACCESS_VALUE] = {AT(LOAD) | AT(STORE), "at F@load and F@store", false},
	[PROBE_TRIPS] = {AT(LOOP), "at F@loop", false},
	[PROBE_THREAD_VARIABLE] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_CALL_VARIABLE] = {PROBE_IN_FRAME, "at a function's entry and return",
				 false},
	[PROBE_STRING] = {PROBE_ANYWHERE, NULL, true},
	[PROBE_UNARY] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_BINARY] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_MEMBER] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_INDEX] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_FOLLOW] = {PROBE_ANYWHERE, NULL, false},
	[PROBE_CAST] = {PROBE_ANYWHERE, NULL, false},
};

static struct probe_term *term_of(struct probe_parser *parser, uint32_t term)
{
	return &parser->program->terms.items[term];
}

static bool is_text(struct probe_parser *parser, uint32_t term)
{
	return kinds[term_of(parser, term)->kind].text;
}

/* str(x) == "text" is the one comparison of text. */
static struct trm_error *check_text_operands(struct probe_parser *parser,
					     const struct probe_term *term)
{
	const struct probe_term *first = term_of(parser, term->first);
	const struct probe_term *second = term_of(parser, term->second);

	if (!kinds[first->kind].text && !kinds[second->kind].text)
		return NULL;
	if ((term->symbol == PROBE_EQUAL || term->symbol == PROBE_UNEQUAL) &&
	    first->kind == PROBE_STRING && second->kind == PROBE_LITERAL)
		return NULL;
	return probe_complain(parser, term->at,
			      "text can only be compared as in str(arg0) == \"text\"");
}

static struct trm_error *need_number(struct probe_parser *parser, uint32_t term)
{
	if (!is_text(parser, term))
		return NULL;
	return probe_complain(parser, term_of(parser, term)->at,
			      "this is text, where a number is needed");
}

/* "size" is what an instruction loads or stores only at such points, and "trips" what a
 * loop made; elsewhere they are variables of the program with these names. */
static void take_for_variable(struct probe_term *term, uint16_t places)
{
	bool local = term->kind >= PROBE_ACCESS && term->kind <= PROBE_TRIPS;

	if (local && !(places & kinds[term->kind].places))
		term->kind = PROBE_VARIABLE;
}

#define NAME_SIGNS "@$_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static struct trm_error *check_term(struct probe_parser *parser, uint16_t places,
				    uint32_t number)
{
	struct probe_term *term;

	if (number == PROBE_NO_TERM)
		return NULL;
	term = term_of(parser, number);
	take_for_variable(term, places);
	if (places & ~kinds[term->kind].places)
		return probe_complain(parser, term->at, "%.*s can be had only %s",
				      (int)strspn(parser->text + term->at, NAME_SIGNS),
				      parser->text + term->at, kinds[term->kind].where);
	TRM_TRY(check_term(parser, places, term->first));
	TRM_TRY(check_term(parser, places, term->second));
	if (term->kind == PROBE_BINARY)
		return check_text_operands(parser, term);
	if (term->first != PROBE_NO_TERM)
		TRM_TRY(need_number(parser, term->first));
	if (term->second != PROBE_NO_TERM)
		TRM_TRY(need_number(parser, term->second));
	return NULL;
}

static struct trm_error *check_operands(struct probe_parser *parser, uint16_t places,
					const struct probe_action *action)
{
	for (uint32_t i = 0; i < action->operand_count; i++) {
		TRM_TRY(check_term(parser, places, action->operands[i]));
		if (action->kind != PROBE_TRACE)
			TRM_TRY(need_number(parser, action->operands[i]));
	}
	return NULL;
}

static struct trm_error *check_action(struct probe_parser *parser, uint16_t places,
				      const struct probe_action *action)
{
	TRM_TRY(check_operands(parser, places, action));
	for (uint32_t i = 0; i < action->key_count; i++)
		TRM_TRY(check_term(parser, places, action->keys[i]));
	TRM_TRY(check_term(parser, places, action->condition));
	if (action->condition != PROBE_NO_TERM)
		TRM_TRY(need_number(parser, action->condition));
	if (action->kind == PROBE_TOP && !action->key_count)
		return probe_complain(parser, action->at,
				      "top() needs keys: top(10) by caller");
	if (action->key_count && action->kind >= PROBE_TRACE)
		return probe_complain(parser, action->at, "%s has no keys",
				      action->kind == PROBE_TRACE ? "trace()"
								  : "a variable");
	if (action->kind == PROBE_SET_CALL && places & ~PROBE_IN_FRAME)
		return probe_complain(parser, action->at,
				      "variables of calls can be set only at a "
				      "function's entry and return");
	return NULL;
}

struct trm_error *probe_check(struct probe_parser *parser, struct probe *probe)
{
	struct probe_program *program = parser->program;
	uint16_t places = 0;

	vector_for_each (&probe->points, point)
		places |= (uint16_t)(1 << point->place);
	if (!probe->actions.count)
		return probe_complain(parser, parser->at - 1, "the probe does nothing");
	TRM_TRY(check_term(parser, places, probe->condition));
	if (probe->condition != PROBE_NO_TERM)
		TRM_TRY(need_number(parser, probe->condition));
	vector_for_each (&probe->actions, action) {
		TRM_TRY(check_action(parser, places, action));
		action->number = program->action_count++;
		action->extreme = program->extreme_count;
		program->extreme_count += probe_action_is_extreme(action);
		action->cells = program->cell_count;
		program->cell_count += probe_action_cells(action);
		if (program->cell_count > PROBE_CELLS_MAX ||
		    program->action_count > PROBE_ACTIONS_MAX)
			return probe_complain(parser, action->at,
					      "all actions together are too large");
	}
	return NULL;
}

/* Whether an action of any probe sets a variable. */
static bool is_set(const struct probe_program *program, enum probe_action_kind kind,
		   uint64_t variable)
{
	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->actions, action)
			if (action->kind == kind && action->variable == variable)
				return true;
	return false;
}

struct trm_error *probe_check_variables(struct probe_parser *parser)
{
	struct probe_program *program = parser->program;

	if (program->thread_names.count > PROBE_THREAD_CELLS)
		return probe_complain(parser, 0, "more than %d variables of threads",
				      PROBE_THREAD_CELLS);
	vector_for_each (&program->terms, term) {
		bool call = term->kind == PROBE_CALL_VARIABLE;
		const struct probe_names *names =
			call ? &program->call_names : &program->thread_names;

		if (!call && term->kind != PROBE_THREAD_VARIABLE)
			continue;
		if (!is_set(program, call ? PROBE_SET_CALL : PROBE_SET_THREAD,
			    term->number))
			return probe_complain(
				parser, term->at, "%c%s is set nowhere: %c%s = value",
				call ? '$' : '@', names->items[term->number],
				call ? '$' : '@', names->items[term->number]);
	}
	return NULL;
}
