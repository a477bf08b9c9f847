/*
 * pprof: a message of protocol buffers, as gzip. What refers to what is by numbers from 1
 * on; so each location and function is written when a sample first needs it, and the
 * strings come last. Memory is needed for names and locations, not for samples.
 *
 * Source: github.com/google/pprof, doc/README.md and proto/profile.proto
 */
#include "base/cleanup.h"
#include "export/formats.h"
#include "export/places.h"
#include "base/protobuf.h"
#include "report/runs.h"
#include "report/samples.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Fields of a Profile. */
enum {
	PROFILE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};

/* The locations of some code: one, or one for each function that was put into others. */
struct located {
	uint32_t first, count; /* number of the innermost one, from 1 on */
};

struct pprof {
	struct export_view *view;
	struct export_out *out;
	bool split;
	struct string_table strings;
	struct table function_of; /* hash of its strings and line: number */
	uint64_t functions;       /* written so far, as locations */
	uint64_t locations;
	struct table located_of; /* hash of frame and address: index in located */
	struct VECTOR(struct located) located;
	uint32_t *mapping_of; /* of each module of the profile: its number; 0: none */
	uint32_t *order;      /* types as they are written: the wanted one is last */
	struct text message, part, packed;
};

static uint32_t string_of(struct pprof *pprof, const char *string)
{
	return string_table_intern(&pprof->strings, string ? string : "");
}

/* Adds a ValueType as a field. */
static void add_type(struct pprof *pprof, uint32_t field, const struct export_type *type)
{
	protobuf_add_number(&pprof->message, 1, string_of(pprof, type->name));
	protobuf_add_number(&pprof->message, 2, string_of(pprof, type->unit));
	protobuf_add_message(&pprof->out->text, field, &pprof->message);
}

/* A mapping without functions, file names and lines would be looked at by the reader,
 * which then has other ones than the profile. */
static void add_mapping(struct pprof *pprof, uint32_t module)
{
	const struct report_module *row = &pprof->view->profile->modules.items[module];
	const struct export_mapping mapping = export_mapping_of(pprof->view, module);
	struct text *message = &pprof->message;

	protobuf_add_number(message, 1, pprof->mapping_of[module]);
	protobuf_add_number(message, 2, mapping.start);
	protobuf_add_number(message, 3, mapping.end);
	protobuf_add_number(message, 4, mapping.file_offset);
	protobuf_add_number(message, 5, string_of(pprof, row->path));
	protobuf_add_number(message, 6, string_of(pprof, row->build_id));
	for (uint32_t field = 7; field <= 10; field++)
		protobuf_add_number(message, field, 1);
	protobuf_add_message(&pprof->out->text, PROFILE_MAPPING, message);
}

static void add_mappings(struct pprof *pprof)
{
	size_t count;
	scoped_free uint32_t *modules = export_modules(pprof->view, &count);

	for (size_t i = 0; i < count; i++) {
		pprof->mapping_of[modules[i]] = (uint32_t)i + 1;
		add_mapping(pprof, modules[i]);
	}
}

/* The number of a function, written if it is new. A linked name goes beside a readable
 * one; where there is none, the readable one stands alone. */
static uint64_t function_of(struct pprof *pprof, const struct export_line *line)
{
	const uint64_t key[] = {string_of(pprof, line->name),
				string_of(pprof, line->linked),
				string_of(pprof, line->file), line->start};
	bool made;
	uint64_t *number =
		table_insert(&pprof->function_of, hash_bytes(key, sizeof(key)), &made);

	if (!made)
		return *number;
	*number = ++pprof->functions;
	protobuf_add_number(&pprof->part, 1, *number);
	for (uint32_t i = 0; i < 4; i++)
		protobuf_add_number(&pprof->part, i + 2, key[i]);
	protobuf_add_message(&pprof->out->text, PROFILE_FUNCTION, &pprof->part);
	return pprof->functions;
}

/* Adds a location with these functions, the innermost first. */
static void add_location(struct pprof *pprof, const struct export_node *node,
			 const struct export_line *lines, size_t count)
{
	uint32_t module = pprof->view->frames.items[node->frame].module;
	uint64_t functions[EXPORT_LINES_MAX];

	for (size_t i = 0; i < count; i++)
		functions[i] = function_of(pprof, &lines[i]);
	protobuf_add_number(&pprof->message, 1, ++pprof->locations);
	if (module != EXPORT_NONE) {
		protobuf_add_number(&pprof->message, 2, pprof->mapping_of[module]);
		protobuf_add_number(&pprof->message, 3,
				    export_mapping_of(pprof->view, module).bias +
					    node->address);
	}
	for (size_t i = 0; i < count; i++) {
		protobuf_add_number(&pprof->part, 1, functions[i]);
		protobuf_add_number(&pprof->part, 2, lines[i].line);
		protobuf_add_message(&pprof->message, 4, &pprof->part);
	}
	protobuf_add_message(&pprof->out->text, PROFILE_LOCATION, &pprof->message);
}

/* The locations of a node's code, written if they are new. */
static struct located located_of(struct pprof *pprof, uint32_t index)
{
	const struct export_node *node = &pprof->view->nodes.items[index];
	const uint64_t key[] = {node->frame, node->address};
	struct export_line lines[EXPORT_LINES_MAX];
	bool made;
	uint64_t *known =
		table_insert(&pprof->located_of, hash_bytes(key, sizeof(key)), &made);

	if (!made)
		return pprof->located.items[*known];
	*known = pprof->located.count;
	size_t count = export_lines_of(pprof->view, node, lines);
	struct located located = {(uint32_t)pprof->locations + 1,
				  pprof->split ? (uint32_t)count : 1};

	if (!pprof->split)
		add_location(pprof, node, lines, count);
	for (size_t i = 0; pprof->split && i < count; i++)
		add_location(pprof, node, &lines[i], 1);
	vector_push(&pprof->located, located);
	return located;
}

static void add_stack(struct pprof *pprof, uint32_t node)
{
	uint32_t nodes[EXPORT_DEPTH_MAX];
	size_t count = export_stack(pprof->view, node, nodes);

	for (size_t i = 0; i < count; i++) {
		struct located located = located_of(pprof, nodes[i]);

		for (uint32_t k = 0; k < located.count; k++)
			protobuf_add(&pprof->packed, located.first + k);
	}
}

static void add_label(struct pprof *pprof, const char *key, const char *text,
		      uint64_t number)
{
	protobuf_add_number(&pprof->part, 1, string_of(pprof, key));
	if (text)
		protobuf_add_number(&pprof->part, 2, string_of(pprof, text));
	else
		protobuf_add_number(&pprof->part, 3, number);
	protobuf_add_message(&pprof->message, 3, &pprof->part);
}

/* The path of a region. */
static void add_region(struct pprof *pprof, uint32_t node)
{
	uint32_t nodes[EXPORT_DEPTH_MAX];
	size_t count = export_stack(pprof->view, node, nodes);
	struct text path = {0};

	while (count--) {
		const struct export_node *row = &pprof->view->nodes.items[nodes[count]];

		text_format(&path, "%s%s", path.length ? "/" : "",
			    pprof->view->frames.items[row->frame].name);
	}
	add_label(pprof, "region", path.data, 0);
	text_deinit(&path);
}

static void add_labels(struct pprof *pprof, const struct export_count *count)
{
	const struct export_view *view = pprof->view;
	const struct report_profile *profile = view->profile;
	uint32_t frame = view->nodes.items[count->node].frame;

	if (count->thread != EXPORT_NONE)
		add_label(pprof, "thread", NULL,
			  profile->threads.items[count->thread].number);
	if (profile->images.count > 1 && profile->images.items[count->image].process)
		add_label(pprof, "process", NULL,
			  profile->images.items[count->image].process);
	if (view->frames.items[frame].module == EXPORT_NONE)
		add_region(pprof, count->node);
}

/* Adds the sample of some counts of one place; `values` has room for all types, is 0, and
 * will be again. */
static void add_sample(struct pprof *pprof, const struct export_count *counts,
		       size_t count, uint64_t *values)
{
	size_t types = pprof->view->types.count;

	for (size_t i = 0; i < count; i++)
		values[counts[i].type] =
			export_sum(values[counts[i].type], counts[i].value);
	/* Locations that are new are written here, in front of the sample. */
	add_stack(pprof, counts->node);
	protobuf_add_message(&pprof->message, 1, &pprof->packed);
	for (size_t i = 0; i < types; i++)
		protobuf_add(&pprof->packed, export_signed(values[pprof->order[i]]));
	protobuf_add_message(&pprof->message, 2, &pprof->packed);
	add_labels(pprof, counts);
	protobuf_add_message(&pprof->out->text, PROFILE_SAMPLE, &pprof->message);
	export_out_drain(pprof->out);
	memset(values, 0, types * sizeof(*values));
}

static void add_samples(struct pprof *pprof)
{
	const struct export_count *counts = pprof->view->counts.items;
	size_t total = pprof->view->counts.count;
	scoped_free uint64_t *values =
		memory_allocate_zeroed(pprof->view->types.count + 1, sizeof(*values));

	for (size_t i = 0, end; i < total; i = end) {
		for (end = i + 1; end < total && counts[end].node == counts[i].node &&
				  counts[end].image == counts[i].image &&
				  counts[end].thread == counts[i].thread;
		     end++)
			;
		add_sample(pprof, counts + i, end - i, values);
	}
}

/* Readers show the last type unless they know the name of the usual one. */
static void add_types(struct pprof *pprof, uint32_t wanted)
{
	const struct export_view *view = pprof->view;
	size_t count = 0;

	for (uint32_t i = 0; i < view->types.count; i++)
		if (i != wanted)
			pprof->order[count++] = i;
	pprof->order[count++] = wanted;
	for (size_t i = 0; i < count; i++)
		add_type(pprof, PROFILE_TYPE, &view->types.items[pprof->order[i]]);
	protobuf_add_number(&pprof->out->text, PROFILE_DEFAULT_TYPE,
			    string_of(pprof, view->types.items[wanted].name));
	if (view->profile->events.count && view->profile->events.items[0].period) {
		add_type(pprof, PROFILE_PERIOD_TYPE,
			 &view->types.items[export_type_find(view, EXPORT_EVENTS)]);
		protobuf_add_number(&pprof->out->text, PROFILE_PERIOD,
				    view->profile->events.items[0].period);
	}
}

static void add_run(struct pprof *pprof)
{
	const struct report_run *run = &pprof->view->profile->runs.items[0];
	const struct record_value *wall = report_run_global(run, "run.wall.ns");
	const char *command = report_run_text(run, "run.command");
	struct tm start = {0};

	if (strptime(report_run_text(run, "run.start"), "%Y-%m-%dT%H:%M:%S", &start))
		protobuf_add_number(&pprof->out->text, PROFILE_TIME,
				    (uint64_t)timegm(&start) * 1000000000);
	if (wall && wall->type == RECORD_UINT)
		protobuf_add_number(&pprof->out->text, PROFILE_DURATION,
				    export_signed(wall->u));
	if (*command)
		protobuf_add_number(&pprof->out->text, PROFILE_COMMENT,
				    string_of(pprof, command));
}

static void add_strings(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->strings.count; i++) {
		const char *string = pprof->strings.strings[i];

		protobuf_add_bytes(&pprof->out->text, PROFILE_STRING, string,
				   strlen(string));
		export_out_drain(pprof->out);
	}
}

static void deinit_pprof(struct pprof *pprof)
{
	string_table_deinit(&pprof->strings);
	table_deinit(&pprof->function_of);
	table_deinit(&pprof->located_of);
	vector_deinit(&pprof->located);
	free(pprof->mapping_of);
	free(pprof->order);
	text_deinit(&pprof->message);
	text_deinit(&pprof->part);
	text_deinit(&pprof->packed);
}

struct trm_error *export_pprof(struct export_view *view,
			       const struct export_options *options,
			       struct export_out *out)
{
	struct pprof pprof = {.view = view, .out = out, .split = options->split};
	uint32_t wanted;

	TRM_TRY(export_choose_type(view, options, &wanted));
	pprof.mapping_of = memory_allocate_zeroed(view->profile->modules.count + 1,
						  sizeof(*pprof.mapping_of));
	pprof.order = memory_allocate_zeroed(view->types.count + 1, sizeof(*pprof.order));
	string_of(&pprof, ""); /* string 0 must be this one */
	add_types(&pprof, wanted);
	add_mappings(&pprof);
	add_samples(&pprof);
	add_run(&pprof);
	add_strings(&pprof);
	deinit_pprof(&pprof);
	return NULL;
}
