#include "libcontrol/measurements.h"

#include "base/text.h"
#include "libcontrol/objects.h"
#include "libcontrol/process.h"
#include "libcontrol/records.h"

#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* `struct trm_measurements` is its ticket. */
struct control_measurements {
	struct trm_engine *engine;
	struct VECTOR(char *) names;
};

static struct trm_error *ask_plain(struct control_engine *engine, enum protocol_verb verb,
				   Trm__Message **ret_answer)
{
	Trm__Request request = TRM__REQUEST__INIT;

	request.verb = verb;
	return engine_ask(engine, &request, ret_answer);
}

static struct trm_error *list_rows(struct trm_engine *ticket, enum protocol_verb verb,
				   struct trm_records **ret_records)
{
	struct control_engine *engine;
	Trm__Message *answer = NULL;

	TRM_TRY(engine_enter(ticket, &engine));
	struct trm_error *error = ask_plain(engine, verb, &answer);

	engine_leave(engine);
	if (!error)
		*ret_records = records_of_answer(answer->answer);
	frame_free(answer);
	return error;
}

EXPORT struct trm_error *trm_engine_measurements(struct trm_engine *ticket,
						 struct trm_records **ret_records)
{
	return list_rows(ticket, PROTOCOL_MEASUREMENTS, ret_records);
}

EXPORT struct trm_error *trm_engine_knobs(struct trm_engine *ticket,
					  struct trm_records **ret_records)
{
	return list_rows(ticket, PROTOCOL_KNOBS, ret_records);
}

static const char *text_of(const Trm__Row *row, const char *name)
{
	for (size_t i = 0; i < row->n_fields; i++)
		if (!strcmp(row->fields[i]->name, name) &&
		    row->fields[i]->value_case == TRM__FIELD__VALUE_TEXT)
			return row->fields[i]->text;
	return "";
}

struct trm_error *measurements_find_knob(struct control_engine *engine, const char *name,
					 struct measurements_knob *ret_knob)
{
	if (!engine->knobs)
		TRM_TRY(ask_plain(engine, PROTOCOL_KNOBS, &engine->knobs));
	const Trm__Answer *answer = engine->knobs->answer;
	const char *nearest = NULL;

	for (size_t i = 0; i < answer->n_rows; i++) {
		const Trm__Row *row = answer->rows[i];
		const char *known = text_of(row, "name");

		if (!strcmp(known, name)) {
			*ret_knob = (struct measurements_knob){
				known, text_of(row, "kind"), text_of(row, "default"),
				text_of(row, "about"), *text_of(row, "adds") != 0};
			return NULL;
		}
		nearest = text_nearer(name, known, nearest);
	}
	if (nearest && text_is_near(name, nearest))
		return trm_error_create(TRM_ERROR_USAGE,
					"there is no knob '%s': is '%s' meant?", name,
					nearest);
	return trm_error_create(TRM_ERROR_USAGE,
				"there is no knob '%s': trm_engine_knobs lists all",
				name);
}

EXPORT struct trm_error *trm_measurements_create(struct trm_engine *ticket,
						 struct trm_measurements **ret_set)
{
	struct control_engine *engine;

	TRM_TRY(engine_enter(ticket, &engine));
	struct control_measurements *set = memory_allocate_zeroed(1, sizeof(*set));

	set->engine = ticket;
	*ret_set = object_add(OBJECT_MEASUREMENTS, set);
	engine_leave(engine);
	return NULL;
}

/* Asks whether all of a set, and one more, can be made together. */
static struct trm_error *ask_combined(const struct control_measurements *set,
				      const char *more)
{
	struct control_engine *engine;
	Trm__Request request = TRM__REQUEST__INIT;
	Trm__Message *answer = NULL;
	struct VECTOR(char *) words = {0};

	TRM_TRY(engine_enter(set->engine, &engine));
	vector_for_each (&set->names, name)
		vector_push(&words, *name);
	vector_push(&words, (char *)(uintptr_t)more);
	request.verb = PROTOCOL_COMBINE;
	request.words = words.items;
	request.n_words = words.count;
	struct trm_error *error = engine_ask(engine, &request, &answer);

	engine_leave(engine);
	frame_free(answer);
	vector_deinit(&words);
	return error;
}

static struct trm_error *find_set(struct trm_measurements *ticket,
				  struct control_measurements **ret)
{
	void *object;

	TRM_TRY(object_find(ticket, OBJECT_MEASUREMENTS, &object));
	*ret = object;
	return NULL;
}

EXPORT struct trm_error *trm_measurements_check(struct trm_measurements *ticket,
						const char *name)
{
	struct control_measurements *set;

	if (!name || !*name || strchr(name, ','))
		return trm_error_create(TRM_ERROR_USAGE, "'%s' is not a measurement",
					name ? name : "");
	TRM_TRY(find_set(ticket, &set));
	return ask_combined(set, name);
}

EXPORT struct trm_error *trm_measurements_add(struct trm_measurements *ticket,
					      const char *name)
{
	struct control_measurements *set;

	TRM_TRY(trm_measurements_check(ticket, name));
	TRM_TRY(find_set(ticket, &set));
	vector_push(&set->names, memory_copy_string(name));
	return NULL;
}

EXPORT struct trm_error *trm_measurements_remove(struct trm_measurements *ticket,
						 const char *name)
{
	struct control_measurements *set;

	TRM_TRY(find_set(ticket, &set));
	for (size_t i = 0; i < set->names.count; i++) {
		if (strcmp(set->names.items[i], name) != 0)
			continue;
		free(set->names.items[i]);
		set->names.count--;
		memmove(set->names.items + i, set->names.items + i + 1,
			(set->names.count - i) * sizeof(*set->names.items));
		return NULL;
	}
	return trm_error_create(TRM_ERROR_USAGE, "'%s' is not in the set", name);
}

static struct text join_names(const struct control_measurements *set)
{
	struct text names = {0};

	text_add(&names, "");
	vector_for_each (&set->names, name)
		text_format(&names, "%s%s", names.length ? "," : "", *name);
	return names;
}

EXPORT struct trm_error *trm_measurements_names(struct trm_measurements *ticket,
						char *ret_names, size_t size)
{
	struct control_measurements *set;

	TRM_TRY(find_set(ticket, &set));
	struct text names = join_names(set);

	if (size)
		snprintf(ret_names, size, "%s", names.data);
	text_deinit(&names);
	return NULL;
}

EXPORT struct trm_error *trm_process_measure(struct trm_process *process,
					     struct trm_measurements *ticket)
{
	struct control_measurements *set;

	TRM_TRY(find_set(ticket, &set));
	struct text names = join_names(set);
	struct trm_error *error = trm_process_set(
		process, "measure", names.length ? names.data : "functions");

	text_deinit(&names);
	return error;
}

EXPORT void trm_measurements_release(struct trm_measurements *ticket)
{
	struct control_measurements *set = object_remove(ticket, OBJECT_MEASUREMENTS);

	if (!set)
		return;
	vector_for_each (&set->names, name)
		free(*name);
	vector_deinit(&set->names);
	free(set);
}
