#include "report/stacks/load.h"

#include "base/array.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "report/demangle.h"

#include <string.h>

enum { FRAMES_MAX = 1024 };

struct loading {
	struct stack_list *list;
	struct record_model *model;
};

const char *stack_list_string(const struct stack_list *list, uint32_t number)
{
	return number == STACK_NONE ? "" : list->strings.strings[number];
}

static uint32_t find_frame(struct stack_list *list, const struct stack_frame *frame)
{
	uint64_t hash = hash_bytes(frame, sizeof(*frame));
	bool made;
	uint64_t *index = table_insert(&list->by_frame, hash, &made);

	if (made) {
		vector_push(&list->frames, *frame);
		*index = list->frames.count;
	}
	return (uint32_t)*index - 1;
}

static uint32_t name_of(struct stack_list *list, const char *linked)
{
	char *demangled = report_demangle(linked);
	const uint32_t name =
		string_table_intern(&list->strings, demangled ? demangled : linked);

	free(demangled);
	return name;
}

/* The frames of a node: the function, and the calls that led to it. */
static uint32_t frame_of(struct loading *loading, record_node node)
{
	struct stack_list *list = loading->list;
	struct stack_frame frames[FRAMES_MAX];
	uint32_t frame = STACK_NONE, function = STACK_NONE;
	size_t count = 0;
	uint64_t known;
	const record_node whole = node;

	if (table_find(&list->by_node, node, &known))
		return (uint32_t)known;
	for (; node && count < FRAMES_MAX;
	     node = record_node_parent(loading->model, node)) {
		const struct record_pair pair = record_node_pair(loading->model, node);
		const char *name = record_attribute_name(loading->model, pair.attribute);

		if (pair.value.type != RECORD_STRING)
			continue;
		if (!strcmp(name, "function") || !strcmp(name, "frame")) {
			function = name_of(list, pair.value.bytes);
		} else if (function != STACK_NONE && (!strcmp(name, "module.path") ||
						      !strcmp(name, "frame.module"))) {
			frames[count++] = (struct stack_frame){
				.module = string_table_intern(&list->strings,
							      pair.value.bytes),
				.function = function,
			};
			function = STACK_NONE;
		}
	}
	while (count) {
		struct stack_frame *next = &frames[--count];

		next->parent = frame;
		frame = find_frame(list, next);
	}
	*table_insert(&list->by_node, whole, NULL) = frame;
	return frame;
}

static void take_process(struct stack_list *list, const struct record_model *model,
			 const struct record_pair *pairs, size_t count)
{
	uint64_t process = 0, image = 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = record_attribute_name(model, pairs[i].attribute);

		if (pairs[i].value.type != RECORD_UINT)
			continue;
		if (!strcmp(name, "process"))
			process = pairs[i].value.u;
		if (!strcmp(name, "image"))
			image = pairs[i].value.u;
	}
	if (process && image)
		*table_insert(&list->processes, image, NULL) = process;
}

static void take_record(void *context, record_node node, const struct record_pair *pairs,
			size_t count)
{
	struct loading *loading = context;
	struct stack_list *list = loading->list;
	struct stack_row row = {STACK_NONE, STACK_NONE, STACK_NONE, STACK_NONE,
				STACK_NONE, 0,          0,          0,
				0,          0};
	const struct {
		const char *name;
		uint32_t *string;
		uint64_t *number;
	} fields[] = {
		{"event", &row.state, NULL},
		{"wait.kind", &row.kind, NULL},
		{"wait.on", &row.on, NULL},
		{"wait.holder", &row.holder, NULL},
		{"thread", NULL, &row.thread},
		{"samples", NULL, &row.times},
		{"sample.events", NULL, &row.ns},
		{"image", NULL, &row.process},
		{"wait.longest.ns", NULL, &row.longest_ns},
	};

	take_process(list, loading->model, pairs, count);
	for (size_t i = 0; i < count; i++) {
		const char *name =
			record_attribute_name(loading->model, pairs[i].attribute);
		const struct record_value value = pairs[i].value;

		for (size_t at = 0; at < array_count(fields); at++) {
			if (strcmp(name, fields[at].name) != 0)
				continue;
			if (fields[at].string && value.type == RECORD_STRING)
				*fields[at].string =
					string_table_intern(&list->strings, value.bytes);
			if (fields[at].number && value.type == RECORD_UINT)
				*fields[at].number = value.u;
		}
	}
	if (row.state == STACK_NONE)
		return;
	list->followed |= !strcmp(stack_list_string(list, row.state), "waits");
	list->looked |= !strcmp(stack_list_string(list, row.state), "waiting");
	if (!row.times)
		return;
	row.frame = frame_of(loading, node);
	list->ns += row.ns;
	vector_push(&list->rows, row);
}

static void take_global(void *context, record_attribute attribute,
			struct record_value value)
{
	struct loading *loading = context;
	const char *name = record_attribute_name(loading->model, attribute);

	if (!strcmp(name, "run.wall.ns") && value.type == RECORD_UINT)
		loading->list->wall_ns += value.u;
	if (!strcmp(name, "samples.notes") && value.type == RECORD_STRING) {
		free(loading->list->notes);
		loading->list->notes = memory_copy_string(value.bytes);
	}
}

struct trm_error *stack_list_load(const char *path, struct stack_list *ret_list)
{
	struct stack_list list = {0};
	struct loading loading = {&list, record_model_create()};
	const struct trm_visitor visitor = {
		.context = &loading, .record = take_record, .global = take_global};
	struct trm_error *error = trm_read(path, loading.model, &visitor, &list.warning);

	record_model_destroy(loading.model);
	vector_for_each (&list.rows, row) {
		uint64_t process;

		/* Of the image that it was until now. */
		row->process =
			table_find(&list.processes, row->process, &process) ? process : 0;
	}
	if (error)
		stack_list_deinit(&list);
	else
		*ret_list = list;
	return error;
}

void stack_list_deinit(struct stack_list *list)
{
	string_table_deinit(&list->strings);
	vector_deinit(&list->rows);
	vector_deinit(&list->frames);
	table_deinit(&list->by_frame);
	table_deinit(&list->by_node);
	table_deinit(&list->processes);
	free(list->warning);
	free(list->notes);
}
