#include "report/load.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "report/arcs.h"
#include "report/blocks.h"
#include "report/caliper.h"
#include "report/edges.h"
#include "report/fields.h"
#include "report/function_index.h"
#include "report/intervals.h"
#include "report/load_finish.h"
#include "report/parts.h"
#include "report/probes.h"
#include "report/regions.h"
#include "report/runs.h"
#include "report/samples.h"
#include "report/tools.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define REGION (BIT(FIELD_TIME) | BIT(FIELD_BLOCK_COUNT) | BIT(FIELD_IMAGE))

/* What of a profile is loaded. */
struct wanted {
	uint64_t interval; /* counts of others are left out; 0: none are */
	uint64_t without;  /* records with any of these fields, by BIT(), are, too */
};

struct loader {
	struct report_profile *profile;
	struct record_model *model;
	struct field_reader reader;
	/* Since the last head: */
	struct table image_by_number;
	bool any_image; /* was looked for; the last one: */
	uint64_t last_number;
	uint32_t last_image;
	struct table run_by_number; /* of a merged profile */
	/* Since the first: */
	uint32_t run;                /* that globals and images belong to */
	struct table module_by_path; /* string number to index */
	struct report_function_index functions;
	struct table count_by_key, load_by_key, skip_by_place;
	struct report_parts parts;
	struct report_caliper caliper;
	/* By node; index of the function's that the node tells, and REPORT_NONE. */
	struct VECTOR(uint32_t) function_by_node;
	/* How many rows are added up next. */
	size_t blocks_most, edges_most, arcs_most;
	const struct wanted *wanted;
	bool any; /* a record or a global was read */
};

static uint32_t find_image(struct loader *loader, uint64_t number)
{
	struct report_profile *profile = loader->profile;
	bool new;
	uint64_t *index;

	if (loader->any_image && number == loader->last_number)
		return loader->last_image;
	index = table_insert(&loader->image_by_number, number, &new);
	if (new) {
		*index = profile->images.count;
		struct report_image *image = vector_add(&profile->images);

		image->run = loader->run;
		image->number = number;
		image->program = image->state = image->reason = report_keep(profile, "");
	}
	loader->any_image = true;
	loader->last_number = number;
	loader->last_image = (uint32_t)*index;
	return loader->last_image;
}

static uint32_t find_module_named(struct loader *loader, const char *name,
				  const char *path)
{
	struct report_profile *profile = loader->profile;
	bool new;
	uint64_t *index = table_insert(
		&loader->module_by_path,
		string_table_intern(&profile->strings, *path ? path : name), &new);

	if (new) {
		*index = profile->modules.count;
		struct report_module *module = vector_add(&profile->modules);

		module->name = report_keep(profile, name);
		module->path = report_keep(profile, *path ? path : name);
		module->build_id = report_keep(profile, "");
	}
	return (uint32_t)*index;
}

static uint32_t find_module(struct loader *loader, const struct row *row)
{
	return find_module_named(loader, string_of(row, FIELD_MODULE),
				 string_of(row, FIELD_PATH));
}

static uint32_t find_function_named(struct loader *loader, uint32_t module,
				    uint64_t offset, const char *name)
{
	return report_function_find(loader->profile, &loader->functions, module, offset,
				    name);
}

/* Where the index of a row's function is kept; NULL: not all that tells it is in the
 * path. */
static uint32_t *known_function(struct loader *loader, const struct row *row)
{
	if (!row->function)
		return NULL;
	while (loader->function_by_node.count <= row->function)
		vector_push(&loader->function_by_node, REPORT_NONE);
	return &loader->function_by_node.items[row->function];
}

static uint32_t find_function(struct loader *loader, const struct row *row)
{
	const struct report_profile *profile = loader->profile;
	uint64_t offset = number_of(row, FIELD_OFFSET);
	uint32_t *known = known_function(loader, row), index;

	if (known && *known != REPORT_NONE &&
	    profile->functions.items[*known].offset == offset)
		return *known;
	index = find_function_named(loader, find_module(loader, row), offset,
				    string_of(row, FIELD_FUNCTION));
	if (known)
		*known = index;
	return index;
}

static const char *keep_field(struct loader *loader, const struct row *row,
			      enum field field)
{
	return report_keep(loader->profile, string_of(row, field));
}

static void add_process(struct loader *loader, const struct row *row)
{
	uint32_t index = find_image(loader, number_of(row, FIELD_IMAGE));
	struct report_image *image = &loader->profile->images.items[index];

	image->described = true;
	image->process = number_of(row, FIELD_PROCESS);
	image->parent = number_of(row, FIELD_PARENT);
	image->threads = number_of(row, FIELD_THREADS);
	image->program = keep_field(loader, row, FIELD_PROGRAM);
	image->state = keep_field(loader, row, FIELD_STATE);
	image->reason = keep_field(loader, row, FIELD_REASON);
}

static void add_module(struct loader *loader, const struct row *row)
{
	struct report_profile *profile = loader->profile;
	uint32_t module = find_module(loader, row);
	uint32_t image = find_image(loader, number_of(row, FIELD_IMAGE));
	bool new;
	uint64_t *index =
		table_insert(&loader->load_by_key, (uint64_t)image << 32 | module, &new);

	if (*string_of(row, FIELD_BUILD_ID))
		profile->modules.items[module].build_id =
			report_keep(profile, string_of(row, FIELD_BUILD_ID));
	if (new) {
		*index = profile->loads.count;
		vector_push(&profile->loads,
			    ((struct report_load){module, image, 0, 0, ""}));
	}
	struct report_load *load = &profile->loads.items[*index];

	load->known = number_of(row, FIELD_KNOWN);
	load->instrumented = number_of(row, FIELD_INSTRUMENTED);
	if (*string_of(row, FIELD_SKIP))
		load->reason = report_keep(profile, string_of(row, FIELD_SKIP));
}

/* Whether the counts in a row are not asked for. */
static bool is_left_out(const struct loader *loader, const struct row *row)
{
	uint64_t interval = loader->wanted->interval;

	return interval && number_of(row, FIELD_INTERVAL) != interval;
}

/* The counts of a function in one image, made if they are new. */
static struct report_count *count_of(struct loader *loader, uint32_t image,
				     uint32_t function)
{
	struct report_profile *profile = loader->profile;
	bool new;
	uint64_t *index = table_insert(&loader->count_by_key,
				       (uint64_t)image << 32 | function, &new);

	if (new) {
		*index = profile->counts.count;
		vector_push(&profile->counts, ((struct report_count){.function = function,
								     .image = image}));
	}
	return &profile->counts.items[*index];
}

static void add_function(struct loader *loader, const struct row *row)
{
	struct report_part *part;

	if (!number_of(row, FIELD_CALLS) || is_left_out(loader, row))
		return;
	uint32_t function = find_function(loader, row);
	uint32_t image = find_image(loader, number_of(row, FIELD_IMAGE));

	count_of(loader, image, function)->calls += number_of(row, FIELD_CALLS);
	part = report_part_find(loader->profile, &loader->parts, row, image, function);
	if (part)
		part->calls += number_of(row, FIELD_CALLS);
}

/* How a function was left. */
static void add_exits(struct loader *loader, const struct row *row)
{
	struct report_count *count;

	if (is_left_out(loader, row))
		return;
	uint32_t function = find_function(loader, row);
	uint32_t image = find_image(loader, number_of(row, FIELD_IMAGE));

	count = count_of(loader, image, function);
	count->returned += number_of(row, FIELD_RETURNED);
	count->tail_calls += number_of(row, FIELD_TAIL_CALLS);
	loader->profile->exits = true;
}

static void add_memory(struct loader *loader, const struct row *row)
{
	const struct report_memory memory = {
		number_of(row, FIELD_LOADS),
		number_of(row, FIELD_STORES),
		number_of(row, FIELD_BYTES_LOADED),
		number_of(row, FIELD_BYTES_STORED),
	};

	if (is_left_out(loader, row))
		return;
	uint32_t function = find_function(loader, row);
	uint32_t image = find_image(loader, number_of(row, FIELD_IMAGE));

	report_memory_add(&count_of(loader, image, function)->memory, &memory);
	loader->profile->memory = true;
}

/* Sizes that no block has are as wrong as any other. */
static uint32_t small_number_of(const struct row *row, enum field field)
{
	uint64_t number = number_of(row, field);

	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* Rows that are the same, as those of one place in many intervals, are found by sorting;
 * there can be millions. This is done whenever there are four times as many as were
 * different before, so that memory is that of what is different. */
static void add_up(size_t *most, const size_t *count, struct report_profile *profile,
		   void (*merge)(struct report_profile *profile))
{
	enum { FEW = 1 << 16 };

	if (*count < *most || *count < FEW)
		return;
	merge(profile);
	*most = *count * 4;
}

static void add_block(struct loader *loader, const struct row *row)
{
	struct report_part *part;

	if (is_left_out(loader, row))
		return;
	uint32_t function = find_function(loader, row);
	uint32_t image = find_image(loader, number_of(row, FIELD_IMAGE));

	vector_push(
		&loader->profile->blocks,
		((struct report_block){
			.function = function,
			.image = image,
			.size = small_number_of(row, FIELD_BLOCK_SIZE),
			.instructions = small_number_of(row, FIELD_BLOCK_INSTRUCTIONS),
			.address = number_of(row, FIELD_BLOCK),
			.count = number_of(row, FIELD_BLOCK_COUNT),
			.stayed = (int64_t)number_of(row, FIELD_STAYED),
		}));
	add_up(&loader->blocks_most, &loader->profile->blocks.count, loader->profile,
	       report_blocks_add_up);
	part = report_part_find(loader->profile, &loader->parts, row, image, function);
	if (part)
		part->instructions += number_of(row, FIELD_BLOCK_COUNT) *
				      number_of(row, FIELD_BLOCK_INSTRUCTIONS);
}

static void add_arc(struct loader *loader, const struct row *row)
{
	const char *path = string_of(row, FIELD_CALLER_PATH);
	const char *slash = strrchr(path, '/');

	if (is_left_out(loader, row))
		return;
	struct report_arc arc = {
		.function = find_function(loader, row),
		.image = find_image(loader, number_of(row, FIELD_IMAGE)),
		.caller = REPORT_UNKNOWN,
		.caller_module = REPORT_UNKNOWN,
		.site = number_of(row, FIELD_ARC_SITE),
		.kind = keep_field(loader, row, FIELD_ARC_KIND),
		.count = number_of(row, FIELD_ARC_COUNT),
	};

	if (*path)
		arc.caller_module =
			find_module_named(loader, slash ? slash + 1 : path, path);
	if (*path && row->present & BIT(FIELD_CALLER))
		arc.caller = find_function_named(loader, arc.caller_module,
						 number_of(row, FIELD_CALLER_OFFSET),
						 string_of(row, FIELD_CALLER));
	if (!arc.count)
		return;
	vector_push(&loader->profile->arcs, arc);
	add_up(&loader->arcs_most, &loader->profile->arcs.count, loader->profile,
	       report_arcs_finish);
}

static void add_edge(struct loader *loader, const struct row *row)
{
	if (is_left_out(loader, row))
		return;
	vector_push(&loader->profile->edges,
		    ((struct report_edge){
			    .function = find_function(loader, row),
			    .image = find_image(loader, number_of(row, FIELD_IMAGE)),
			    .from = number_of(row, FIELD_EDGE_FROM),
			    .to = number_of(row, FIELD_EDGE_TO),
			    .address = number_of(row, FIELD_EDGE),
			    .kind = keep_field(loader, row, FIELD_EDGE_KIND),
			    .open = !(row->present & BIT(FIELD_BLOCK_COUNT)),
			    .count = number_of(row, FIELD_BLOCK_COUNT),
		    }));
	add_up(&loader->edges_most, &loader->profile->edges.count, loader->profile,
	       report_edges_add_up);
}

static void add_path(struct loader *loader, const struct row *row)
{
	if (is_left_out(loader, row))
		return;
	vector_push(&loader->profile->paths,
		    ((struct report_path){
			    .function = find_function(loader, row),
			    .image = find_image(loader, number_of(row, FIELD_IMAGE)),
			    .part = number_of(row, FIELD_PATH_IN),
			    .number = number_of(row, FIELD_PATH_NUMBER),
			    .of = number_of(row, FIELD_PATH_TOTAL),
			    .blocks = keep_field(loader, row, FIELD_PATH_BLOCKS),
			    .end = keep_field(loader, row, FIELD_PATH_END),
			    .instructions = number_of(row, FIELD_PATH_INSTRUCTIONS),
			    .count = number_of(row, FIELD_PATH_COUNT),
		    }));
}

static void add_path_graph(struct loader *loader, const struct row *row)
{
	vector_push(&loader->profile->path_graphs,
		    ((struct report_path_graph){
			    .function = find_function(loader, row),
			    .part = number_of(row, FIELD_PATH_IN),
			    .of = number_of(row, FIELD_PATH_TOTAL),
			    .steps = keep_field(loader, row, FIELD_PATH_STEPS),
		    }));
}

static void add_path_bar(struct loader *loader, const struct row *row)
{
	vector_push(&loader->profile->path_bars,
		    ((struct report_path_bar){
			    .function = find_function(loader, row),
			    .part = number_of(row, FIELD_PATH_IN),
			    .reason = keep_field(loader, row, FIELD_PATH_REASON),
		    }));
}

static void add_fault(struct loader *loader, const struct row *row)
{
	if (is_left_out(loader, row))
		return;
	uint32_t function = find_function(loader, row);
	uint32_t image = find_image(loader, number_of(row, FIELD_IMAGE));

	vector_push(
		&loader->profile->faults,
		((struct report_fault){function, image, number_of(row, FIELD_FAULT)}));
}

/* Once each, from however many processes. */
static void add_skip_to(struct report_skips *skips, struct loader *loader,
			const struct row *row, uint64_t address, const char *reason)
{
	uint32_t function = find_function(loader, row);
	uint64_t module = loader->profile->functions.items[function].module;
	bool new;

	table_insert(&loader->skip_by_place, address ^ module << 48, &new);
	if (new)
		vector_push(skips,
			    ((struct report_skip){function, address,
						  report_keep(loader->profile, reason)}));
}

static void add_skip(struct loader *loader, const struct row *row)
{
	add_skip_to(&loader->profile->skips, loader, row, number_of(row, FIELD_OFFSET),
		    string_of(row, FIELD_SKIP));
}

static void add_cold_part(struct loader *loader, const struct row *row)
{
	add_skip_to(&loader->profile->cold_parts, loader, row, number_of(row, FIELD_PART),
		    string_of(row, FIELD_PART_REASON));
}

/* The run of a merged profile with this number. The first one takes the place of the run
 * that began with the head. */
static uint32_t find_run(struct loader *loader, uint64_t number)
{
	struct report_profile *profile = loader->profile;
	bool new;
	uint64_t *index = table_insert(&loader->run_by_number, number, &new);

	if (new && loader->run_by_number.count == 1 &&
	    !profile->runs.items[loader->run].globals.count) {
		*index = loader->run;
	} else if (new) {
		*index = profile->runs.count;
		vector_add(&profile->runs);
	}
	return (uint32_t)*index;
}

static void add_to_run(struct loader *loader, const struct row *row)
{
	uint32_t run = find_run(loader, number_of(row, FIELD_RUN));
	uint32_t image = find_image(loader, number_of(row, FIELD_IMAGE));

	loader->profile->images.items[image].run = run;
}

static void add_global(struct loader *loader, uint32_t run, record_attribute attribute,
		       struct record_value value)
{
	struct report_profile *profile = loader->profile;
	const char *name =
		report_keep(profile, record_attribute_name(loader->model, attribute));
	struct report_run *to = &profile->runs.items[run];
	struct report_global *global = to->globals.items;

	while (global < to->globals.items + to->globals.count && global->name != name)
		global++;
	if (global == to->globals.items + to->globals.count)
		global = vector_add(&to->globals);
	/* Of a blob or string with zero bytes in it only the first part is kept. */
	if (value.type == RECORD_STRING || value.type == RECORD_BLOB) {
		value.bytes = report_keep(profile, value.bytes);
		value.size = strlen(value.bytes);
	}
	*global = (struct report_global){name, value};
}

/* A run of a merged profile: what would be globals are pairs of the record. */
static void add_run(struct loader *loader, const struct record_pair *pairs, size_t count,
		    const struct row *row)
{
	uint32_t run = find_run(loader, number_of(row, FIELD_RUN));

	for (size_t i = 0; i < count; i++)
		if (field_of(&loader->reader, pairs[i].attribute) != FIELD_RUN)
			add_global(loader, run, pairs[i].attribute, pairs[i].value);
}

static void add_interval(struct loader *loader, const struct row *row)
{
	report_interval_add(loader->profile, &loader->parts, row);
}

static void add_sample(struct loader *loader, const struct row *row)
{
	const char *event = keep_field(loader, row, FIELD_EVENT);
	struct report_sample sample = {
		.function = find_function(loader, row),
		.image = find_image(loader, number_of(row, FIELD_IMAGE)),
		.event = report_event_find(loader->profile, event),
		.thread = REPORT_NONE,
		.address = number_of(row, FIELD_SAMPLE_ADDRESS),
		.samples = number_of(row, FIELD_SAMPLES),
		.events = number_of(row, FIELD_SAMPLE_EVENTS),
	};

	if (row->present & BIT(FIELD_THREAD))
		sample.thread =
			report_thread_find(loader->profile, &loader->parts, sample.image,
					   number_of(row, FIELD_THREAD));
	report_sample_add(loader->profile, loader->model, loader->reader.node, &sample);
}

/* What a record is, by the fields it has; the first line that fits. */
static const struct {
	uint64_t fields;
	void (*add)(struct loader *loader, const struct row *row);
} kinds[] = {
	{BIT(FIELD_FUNCTION) | BIT(FIELD_SKIP), add_skip},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_PART_REASON), add_cold_part},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_CALLS), add_function},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_SAMPLES), add_sample},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_RETURNED), add_exits},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_TAIL_CALLS), add_exits},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_LOADS), add_memory},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_STORES), add_memory},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_BLOCK) | BIT(FIELD_BLOCK_COUNT), add_block},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_ARC_COUNT), add_arc},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_EDGE) | BIT(FIELD_EDGE_FROM), add_edge},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_PATH_BLOCKS) | BIT(FIELD_PATH_COUNT), add_path},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_PATH_STEPS), add_path_graph},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_PATH_REASON), add_path_bar},
	{BIT(FIELD_FUNCTION) | BIT(FIELD_FAULT), add_fault},
	{BIT(FIELD_MODULE) | BIT(FIELD_KNOWN), add_module},
	{BIT(FIELD_INTERVAL) | BIT(FIELD_INTERVAL_START), add_interval},
	{BIT(FIELD_IMAGE) | BIT(FIELD_PROCESS), add_process},
	{BIT(FIELD_IMAGE) | BIT(FIELD_RUN), add_to_run},
};

/* Their paths are what matters, not single fields. */
static void add_region(struct loader *loader, const struct row *row, record_node node)
{
	const struct report_region_count count = {
		.image = find_image(loader, number_of(row, FIELD_IMAGE)),
		.count = number_of(row, FIELD_BLOCK_COUNT),
		.ns = number_of(row, FIELD_TIME),
		.interval = number_of(row, FIELD_INTERVAL),
	};

	report_tree_add(loader->profile, &loader->profile->regions, loader->model, node,
			&count);
}

/* A call in its context: the node is the function's, below those of its module and its
 * address. */
static void add_context(struct loader *loader, const struct row *row, record_node node)
{
	const struct record_model *model = loader->model;
	struct report_profile *profile = loader->profile;
	const struct report_region_count count = {
		.image = find_image(loader, number_of(row, FIELD_IMAGE)),
		.count = number_of(row, FIELD_GRAPH_CALLS),
		.timed = row->present & BIT(FIELD_GRAPH_NS),
		.ns = number_of(row, FIELD_GRAPH_NS),
	};
	struct report_region *call =
		report_tree_add(profile, &profile->graph, model, node, &count);
	record_node around = record_node_parent(model, node);
	struct record_pair function, module;

	if (!call || !(row->present & BIT(FIELD_OFFSET)) ||
	    call->function != REPORT_NONE || !around ||
	    !record_node_parent(model, around))
		return;
	function = record_node_pair(model, node);
	module = record_node_pair(model, record_node_parent(model, around));
	if (function.value.type != RECORD_STRING || module.value.type != RECORD_STRING)
		return;
	call->function = find_function_named(
		loader,
		find_module_named(loader, path_name(module.value.bytes),
				  module.value.bytes),
		number_of(row, FIELD_OFFSET), function.value.bytes);
}

/* A record of LLNL's Caliper has no image: there is one for each rank. */
static bool see_caliper(struct loader *loader, record_node node,
			const struct record_pair *pairs, size_t count)
{
	struct report_caliper_taken taken;

	if (!report_caliper_take(&loader->caliper, loader->model, node, pairs, count,
				 &taken))
		return false;
	taken.row.image = find_image(loader, (uint64_t)taken.row.image + 1);
	report_caliper_add(loader->profile, loader->model, &taken);
	return true;
}

/* The function of the tool's row that was read last. */
static void note_values(struct loader *loader)
{
	struct report_profile *profile = loader->profile;
	const struct report_tool_row *row =
		&profile->tool_rows.items[profile->tool_rows.count - 1];
	const struct report_tool_code *code = &row->code;
	uint32_t function;

	if (strcmp(profile->tool_tables.items[row->table].tool, "values") != 0 ||
	    !code->path || !code->function || !code->has_offset)
		return;
	function = find_function_named(
		loader, find_module_named(loader, code->module, code->path), code->offset,
		code->function);
	profile->functions.items[function].valued = true;
}

static void add_tool_row(struct loader *loader, const struct row *row, record_node node,
			 const struct record_pair *pairs, size_t count)
{
	const uint32_t image = find_image(loader, number_of(row, FIELD_IMAGE));

	if (row->own & BIT(FIELD_PROBE)) {
		report_probes_add(loader->profile, loader->model, node, pairs, count,
				  image);
		return;
	}
	report_tools_add(loader->profile, loader->model, node, pairs, count, image);
	if (loader->profile->tool_rows.count)
		note_values(loader);
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct loader *loader = context;
	const struct row *row = fields_read(&loader->reader, node, pairs, count);

	loader->any = true;
	if (row->own & loader->wanted->without)
		return;
	if ((row->own & REGION) == REGION) {
		if (!is_left_out(loader, row))
			add_region(loader, row, node);
		return;
	}
	if (!(row->own & BIT(FIELD_IMAGE)) && see_caliper(loader, node, pairs, count))
		return;
	if (row->own & BIT(FIELD_GRAPH_CALLS)) {
		if (!is_left_out(loader, row))
			add_context(loader, row, node);
		return;
	}
	if (row->own & BIT(FIELD_EVENT_SAMPLES)) {
		report_event_add(loader->profile, loader->model, pairs, count);
		return;
	}
	if (row->own & (BIT(FIELD_PROBE) | BIT(FIELD_TOOL))) {
		if (!is_left_out(loader, row))
			add_tool_row(loader, row, node, pairs, count);
		return;
	}
	fields_read_path(&loader->reader);
	for (size_t i = 0; i < array_count(kinds); i++) {
		if ((row->present & kinds[i].fields) == kinds[i].fields) {
			kinds[i].add(loader, row);
			return;
		}
	}
	if (row->present == BIT(FIELD_RUN))
		add_run(loader, pairs, count, row);
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct loader *loader = context;

	loader->any = true;
	add_global(loader, loader->run, attribute, value);
}

static void see_file(void *context)
{
	struct loader *loader = context;

	loader->run = (uint32_t)loader->profile->runs.count;
	vector_add(&loader->profile->runs);
	table_deinit(&loader->image_by_number);
	loader->any_image = false;
	table_deinit(&loader->run_by_number);
}

static void deinit_loader(struct loader *loader)
{
	record_model_destroy(loader->model);
	field_reader_deinit(&loader->reader);
	vector_deinit(&loader->function_by_node);
	table_deinit(&loader->image_by_number);
	table_deinit(&loader->run_by_number);
	table_deinit(&loader->module_by_path);
	report_function_index_deinit(&loader->functions);
	table_deinit(&loader->count_by_key);
	table_deinit(&loader->load_by_key);
	table_deinit(&loader->skip_by_place);
	report_parts_deinit(&loader->parts);
	report_caliper_deinit(&loader->caliper);
}

static struct trm_error *load_profile(const char *path, const struct wanted *wanted,
				      struct report_profile **ret_profile)
{
	struct report_profile *profile = memory_allocate_zeroed(1, sizeof(*profile));
	struct loader loader = {
		.profile = profile, .model = record_model_create(), .wanted = wanted};
	struct trm_visitor visitor = {.context = &loader,
				      .record = see_record,
				      .global = see_global,
				      .file = see_file};
	struct trm_error *error;

	loader.reader.model = loader.model;
	error = trm_read(path, loader.model, &visitor, &profile->warning);
	if (!error && !loader.any)
		error = report_error_empty(path);
	if (!error && !report_has_interval(profile, wanted->interval))
		error = trm_error_create(TRM_ERROR_USAGE,
					 "no interval %" PRIu64 " in '%s': --by interval "
					 "shows those that are",
					 wanted->interval, path);
	deinit_loader(&loader);
	if (error) {
		report_profile_destroy(profile);
		return error;
	}
	load_finish(profile, !(wanted->without & BIT(FIELD_ARC_COUNT)));
	*ret_profile = profile;
	return NULL;
}

struct trm_error *report_profile_load(const char *path,
				      struct report_profile **ret_profile)
{
	return load_profile(path, &(struct wanted){0}, ret_profile);
}

struct trm_error *report_profile_load_interval(const char *path, uint64_t number,
					       struct report_profile **ret_profile)
{
	return load_profile(path, &(struct wanted){.interval = number}, ret_profile);
}

struct trm_error *report_profile_load_short(const char *path,
					    struct report_profile **ret_profile)
{
	return load_profile(
		path, &(struct wanted){.without = BIT(FIELD_ARC_COUNT) | BIT(FIELD_EDGE)},
		ret_profile);
}
