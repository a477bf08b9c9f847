#include "report/json/json.h"

#include "report/arcs.h"
#include "report/blocks.h"
#include "report/edges.h"
#include "report/json/parts.h"
#include "report/json/probes.h"
#include "report/json/tools.h"
#include "report/json/samples.h"
#include "report/regions.h"
#include "report/select.h"

#include <inttypes.h>

static void add_memory(struct text *out, const struct report_memory *memory)
{
	json_add_number(out, "function.loads", memory->loads);
	json_add_number(out, "function.loads.bytes", memory->bytes_loaded);
	json_add_number(out, "function.stores", memory->stores);
	json_add_number(out, "function.stores.bytes", memory->bytes_stored);
}

static void add_functions(struct text *out, const struct report_profile *profile,
			  enum report_sort sort)
{
	const struct report_function **rows = report_profile_functions(profile, sort);

	for (size_t i = 0; i < profile->executed; i++) {
		json_begin_item(out);
		json_add_function(out, profile, rows[i]);
		json_add_number(out, "calls", rows[i]->calls);
		json_add_function_samples(out, profile, rows[i]);
		if (rows[i]->blocks)
			json_add_number(out, "instructions", rows[i]->instructions);
		if (profile->exits && rows[i]->blocks) {
			json_add_number(out, "returned", rows[i]->returned);
			json_add_number(out, "tail_calls", rows[i]->tail_calls);
			json_add_number(out, "left_otherwise",
					report_left_otherwise(rows[i]));
		}
		if (profile->memory)
			add_memory(out, &rows[i]->memory);
		if (rows[i]->timed) {
			json_add_number(out, "time.inclusive.ns", rows[i]->inclusive_ns);
			json_add_number(out, "time.exclusive.ns", rows[i]->ns);
		}
		text_add(out, "}");
	}
	free(rows);
}

static void add_blocks(struct text *out, const struct report_profile *profile,
		       enum report_sort sort)
{
	struct report_block *rows = report_profile_blocks(profile, sort);

	for (size_t i = 0; i < profile->executed_blocks; i++) {
		const struct report_block *block = &rows[i];

		json_begin_item(out);
		json_add_function(out, profile,
				  &profile->functions.items[block->function]);
		json_add_address(out, "block", block->address);
		json_add_number(out, "block.size", block->size);
		json_add_number(out, "block.instructions", block->instructions);
		json_add_number(out, "count", block->count);
		if (block->stayed) {
			json_add_key(out, "block.stayed");
			text_format(out, "%" PRId64, block->stayed);
		}
		text_add(out, "}");
	}
	free(rows);
}

static void add_edges(struct text *out, const struct report_profile *profile,
		      enum report_sort sort)
{
	struct report_edge *rows = report_profile_edges(profile, sort);

	for (size_t i = 0; i < profile->passed_edges; i++) {
		const struct report_edge *edge = &rows[i];

		json_begin_item(out);
		json_add_function(out, profile,
				  &profile->functions.items[edge->function]);
		json_add_address(out, "edge", edge->address);
		json_add_address(out, "edge.from", edge->from);
		if (edge->to)
			json_add_address(out, "edge.to", edge->to);
		json_add_string(out, "edge.kind", edge->kind);
		json_add_number(out, "count", edge->count);
		text_add(out, "}");
	}
	free(rows);
}

static void add_arcs(struct text *out, const struct report_profile *profile,
		     const struct report_options *options)
{
	size_t count;
	struct report_arc *rows =
		report_profile_arcs(profile, &options->arcs, options->sort, true, &count);

	for (size_t i = 0; i < count; i++) {
		json_begin_item(out);
		json_add_arc(out, profile, &rows[i]);
		text_add(out, "}");
	}
	free(rows);
}

static void add_instructions(struct text *out, const struct report_profile *profile,
			     uint64_t instructions)
{
	if (profile->blocks.count)
		json_add_number(out, "instructions", instructions);
}

static void add_samples(struct text *out, const struct report_profile *profile,
			uint64_t samples)
{
	if (profile->events.count)
		json_add_number(out, "samples", samples);
}

static void add_modules(struct text *out, const struct report_profile *profile,
			enum report_sort sort)
{
	size_t count;
	const struct report_module **rows = report_profile_modules(profile, sort, &count);

	for (size_t i = 0; i < count; i++) {
		json_begin_item(out);
		json_add_module(out, rows[i]);
		json_add_string(out, "buildid", rows[i]->build_id);
		json_add_number(out, "functions.known", rows[i]->known);
		json_add_number(out, "functions.instrumented", rows[i]->instrumented);
		json_add_number(out, "functions.executed", rows[i]->functions);
		json_add_number(out, "calls", rows[i]->calls);
		add_samples(out, profile, rows[i]->samples);
		add_instructions(out, profile, rows[i]->instructions);
		if (rows[i]->reason)
			json_add_string(out, "module.reason", rows[i]->reason);
		text_add(out, "}");
	}
	free(rows);
}

static void add_processes(struct text *out, const struct report_profile *profile,
			  enum report_sort sort)
{
	size_t count;
	const struct report_image **rows = report_profile_images(profile, &count);

	(void)sort; /* in the order in which they began */
	for (size_t i = 0; i < count; i++) {
		json_begin_item(out);
		json_add_number(out, "image", rows[i]->number);
		if (profile->runs.count > 1)
			json_add_number(out, "run", rows[i]->run);
		if (rows[i]->described)
			json_add_number(out, "process", rows[i]->process);
		if (rows[i]->parent)
			json_add_number(out, "process.parent", rows[i]->parent);
		if (rows[i]->threads)
			json_add_number(out, "threads", rows[i]->threads);
		json_add_string(out, "program", rows[i]->program);
		json_add_string(out, "process.state", rows[i]->state);
		json_add_string(out, "process.reason", rows[i]->reason);
		json_add_number(out, "functions.executed", rows[i]->functions);
		json_add_number(out, "calls", rows[i]->calls);
		add_samples(out, profile, rows[i]->samples);
		add_instructions(out, profile, rows[i]->instructions);
		text_add(out, "}");
	}
	free(rows);
}

static void add_intervals(struct text *out, const struct report_profile *profile,
			  enum report_sort sort)
{
	(void)sort; /* in the order of time */
	vector_for_each (&profile->intervals, interval) {
		json_begin_item(out);
		json_add_number(out, "interval", interval->number);
		json_add_number(out, "interval.start.ns", interval->start_ns);
		json_add_number(out, "interval.end.ns", interval->end_ns);
		json_add_number(out, "calls", interval->calls);
		if (profile->regions.nodes.count)
			json_add_number(out, "regions", interval->regions);
		add_instructions(out, profile, interval->instructions);
		text_add(out, "}");
	}
}

static void add_threads(struct text *out, const struct report_profile *profile,
			enum report_sort sort)
{
	(void)sort;
	vector_for_each (&profile->threads, thread) {
		const struct report_image *image = &profile->images.items[thread->image];

		if (!thread->selected)
			continue;
		json_begin_item(out);
		json_add_number(out, "image", image->number);
		if (image->described)
			json_add_number(out, "process", image->process);
		json_add_number(out, "thread", thread->number);
		json_add_number(out, "calls", thread->calls);
		add_samples(out, profile, thread->samples);
		add_instructions(out, profile, thread->instructions);
		text_add(out, "}");
	}
}

/* A list "path" of {"ATTRIBUTE": ...} would be hard to ask about: labels are what the
 * text shows. */
static void add_path(struct text *out, const struct report_tree *tree,
		     const struct report_region *region)
{
	const struct report_region *chain[REPORT_REGION_DEPTH];
	size_t depth = 0;

	for (; depth < REPORT_REGION_DEPTH; region = &tree->nodes.items[region->parent]) {
		chain[depth++] = region;
		if (region->parent == REPORT_NONE)
			break;
	}
	text_add(out, ", \"path\": [");
	while (depth--) {
		text_add_json(out, chain[depth]->label);
		text_add(out, depth ? ", " : "]");
	}
}

static void add_regions(struct text *out, const struct report_profile *profile,
			enum report_sort sort)
{
	size_t count;
	const struct report_region **rows = report_tree_rows(&profile->regions, &count);

	(void)sort; /* the longest first, and what is in them behind them */
	for (size_t i = 0; i < count; i++) {
		json_begin_item(out);
		json_add_string(out, "attribute", rows[i]->attribute);
		add_path(out, &profile->regions, rows[i]);
		json_add_number(out, "count", rows[i]->count);
		json_add_number(out, "time.ns", rows[i]->ns);
		json_add_number(out, "time.inclusive.ns", rows[i]->inclusive_ns);
		text_add(out, "}");
	}
	free(rows);
}

/* Whole paths would be long where functions call themselves: each row names the one of
 * its caller, which comes before it. */
static void add_contexts(struct text *out, const struct report_profile *profile,
			 enum report_sort sort)
{
	const struct report_tree *tree = &profile->graph;
	size_t count;
	const struct report_region **rows = report_tree_rows(tree, &count);
	uint64_t *numbers = memory_allocate_zeroed(tree->nodes.count, sizeof(*numbers));

	(void)sort;
	if (!tree->nodes.count)
		json_add_stacks(out, profile);
	for (size_t i = 0; i < count; i++) {
		json_begin_item(out);
		if (rows[i]->function != REPORT_NONE)
			json_add_function(out, profile,
					  &profile->functions.items[rows[i]->function]);
		json_add_number(out, "context", i + 1);
		numbers[rows[i] - tree->nodes.items] = i + 1;
		if (rows[i]->parent != REPORT_NONE)
			json_add_number(out, "parent", numbers[rows[i]->parent]);
		json_add_number(out, "calls", rows[i]->count);
		if (rows[i]->timed) {
			json_add_number(out, "time.inclusive.ns", rows[i]->inclusive_ns);
			json_add_number(out, "time.exclusive.ns", rows[i]->ns);
		}
		text_add(out, "}");
	}
	free(numbers);
	free(rows);
}

static void add_skips(struct text *out, const struct report_profile *profile)
{
	size_t count;
	const struct report_skip **skips =
		report_profile_skips(profile, &profile->skips, &count);

	json_begin_list(out, "skipped");
	for (size_t i = 0; i < count; i++) {
		json_begin_item(out);
		json_add_function(out, profile,
				  &profile->functions.items[skips[i]->function]);
		json_add_string(out, "skip.reason", skips[i]->reason);
		text_add(out, "}");
	}
	text_add(out, "]");
	free(skips);
}

static void add_cold_parts(struct text *out, const struct report_profile *profile)
{
	size_t count;
	const struct report_skip **parts =
		report_profile_skips(profile, &profile->cold_parts, &count);

	json_begin_list(out, "uncounted_parts");
	for (size_t i = 0; i < count; i++) {
		json_begin_item(out);
		json_add_function(out, profile,
				  &profile->functions.items[parts[i]->function]);
		json_add_address(out, "part.offset", parts[i]->address);
		json_add_string(out, "part.reason", parts[i]->reason);
		text_add(out, "}");
	}
	text_add(out, "]");
	free(parts);
}

/* Of a profile that has regions alone, these are the rows. */
static enum report_by rows_of(const struct report_profile *profile,
			      const struct report_options *options)
{
	return options->by == REPORT_BY_FUNCTION && profile->regions.nodes.count &&
			       !profile->modules.count
		       ? REPORT_BY_REGION
		       : options->by;
}

void report_json(const struct report_profile *profile,
		 const struct report_options *options, struct text *out)
{
	static void (*const add_rows[])(struct text * out,
					const struct report_profile *profile,
					enum report_sort sort) = {
		[REPORT_BY_FUNCTION] = add_functions, [REPORT_BY_MODULE] = add_modules,
		[REPORT_BY_PROCESS] = add_processes,  [REPORT_BY_BLOCK] = add_blocks,
		[REPORT_BY_INTERVAL] = add_intervals, [REPORT_BY_THREAD] = add_threads,
		[REPORT_BY_EDGE] = add_edges,         [REPORT_BY_REGION] = add_regions,
		[REPORT_BY_GRAPH] = add_contexts,
	};

	text_add(out, "{\"profile\": ");
	json_add_globals(out, &profile->runs.items[0]);
	if (profile->runs.count > 1) {
		json_begin_list(out, "runs");
		vector_for_each (&profile->runs, run) {
			text_add(out, run == profile->runs.items ? "\n  " : ",\n  ");
			json_add_globals(out, run);
		}
		text_add(out, "]");
	}
	json_begin_list(out, "rows");
	if (options->by == REPORT_BY_ARC)
		add_arcs(out, profile, options);
	else
		add_rows[rows_of(profile, options)](out, profile, options->sort);
	text_add(out, "]");
	if (profile->events.count)
		json_add_events(out, profile);
	json_begin_list(out, "modules");
	add_modules(out, profile, options->sort);
	text_add(out, "]");
	json_begin_list(out, "processes");
	add_processes(out, profile, options->sort);
	text_add(out, "]");
	if (profile->probes.count) {
		json_begin_list(out, "probes");
		json_add_probes(out, profile);
		text_add(out, "]");
	}
	if (profile->tool_tables.count) {
		json_begin_list(out, "tools");
		json_add_tools(out, profile);
		text_add(out, "]");
	}
	add_skips(out, profile);
	add_cold_parts(out, profile);
	text_add(out, "}\n");
}
