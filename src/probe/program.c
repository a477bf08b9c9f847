#include "probe/program.h"

#include "probe/cells.h"

const char *const probe_place_names[] = {
	[PROBE_ENTRY] = "entry",
	[PROBE_RETURN] = "return",
	[PROBE_CALL] = "call",
	[PROBE_LOAD] = "load",
	[PROBE_STORE] = "store",
	[PROBE_LOOP] = "loop",
	NULL,
};

const char *const probe_action_names[] = {
	[PROBE_COUNT] = "count", [PROBE_SUM] = "sum",
	[PROBE_MIN] = "min",     [PROBE_MAX] = "max",
	[PROBE_AVG] = "avg",     [PROBE_HIST] = "hist",
	[PROBE_LINEAR] = "hist", [PROBE_TOP] = "top",
	[PROBE_TRACE] = "trace", NULL,
};

const char *probe_place_name(enum probe_place place)
{
	return place > PROBE_ENTRY && place <= PROBE_LOOP ? probe_place_names[place] : "";
}

void probe_point_describe_lack(const struct probe_point *point, struct text *text)
{
	if (point->place == PROBE_ADDRESS)
		text_format(text, "there is no code at %s", point->name);
	else if (point->place == PROBE_LINE)
		text_format(text, "no code is of line %lu of %s", point->address,
			    point->name);
	else
		text_format(text, "nothing is named %s", point->name);
	if (point->place == PROBE_LINE && point->next)
		text_format(text, ": the next line with code is %u", point->next);
}

const char *probe_action_name(enum probe_action_kind kind)
{
	return kind <= PROBE_TRACE ? probe_action_names[kind] : "";
}

void probe_action_deinit(struct probe_action *action)
{
	free(action->name);
	for (size_t i = 0; i < PROBE_KEYS_MAX; i++)
		free(action->key_names[i]);
	for (size_t i = 0; i < PROBE_OPERANDS_MAX; i++)
		free(action->operand_names[i]);
}

static void names_deinit(struct probe_names *names)
{
	vector_for_each (names, name)
		free(*name);
	vector_deinit(names);
}

void probe_program_deinit(struct probe_program *program)
{
	vector_for_each (&program->probes, probe) {
		free(probe->name);
		vector_for_each (&probe->points, point) {
			free(point->module);
			free(point->name);
		}
		vector_deinit(&probe->points);
		vector_for_each (&probe->actions, action)
			probe_action_deinit(action);
		vector_deinit(&probe->actions);
	}
	vector_deinit(&program->probes);
	vector_for_each (&program->terms, term) {
		free(term->name);
		free(term->type.name);
	}
	vector_deinit(&program->terms);
	vector_for_each (&program->texts, text)
		free(*text);
	vector_deinit(&program->texts);
	names_deinit(&program->thread_names);
	names_deinit(&program->call_names);
}

bool probe_program_has_regions(const struct probe_program *program)
{
	vector_for_each (&program->terms, term)
		if (term->kind == PROBE_REGION)
			return true;
	return false;
}

/* Terms of all probes are behind those that were written. */
void probe_program_add_phases(struct probe_program *program)
{
	const uint32_t term = (uint32_t)program->terms.count;

	vector_push(&program->terms, ((struct probe_term){.kind = PROBE_PHASE,
							  .first = PROBE_NO_TERM,
							  .second = PROBE_NO_TERM}));
	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->actions, action)
			if (action->kind == PROBE_TRACE)
				action->operands[action->operand_count++] = term;
			else if (action->key_count || probe_action_is_extreme(action))
				action->keys[action->key_count++] = term;
}

bool probe_program_calls(const struct probe_program *program)
{
	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->actions, action)
			if (action->key_count || action->kind == PROBE_TRACE)
				return true;
	return false;
}
