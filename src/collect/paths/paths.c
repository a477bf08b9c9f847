/* How often each acyclic path through each function was taken, after Ball and Larus; from
 * which the counts of all edges and blocks follow. */
#include "code/count/path_counts.h"
#include "code/plan/plan_rows.h"
#include "collect/collect.h"
#include "collect/paths/path_graphs.h"
#include "record/value.h"
#include "session/position/path_frames.h"
#include "session/profile/profile_writer.h"
#include "session/state/module.h"
#include "wire/paths.h"

#include "base/text.h"

enum { PAIRS = 9 };

/* The blocks of a path, as distances from the function's address. */
static void list_blocks(const struct plan *plan, const struct plan_function *function,
			const struct paths *paths, const struct paths_walk *walk,
			struct text *ret_blocks, uint64_t *ret_instructions)
{
	*ret_instructions = 0;
	vector_for_each (walk, at) {
		const struct paths_step *step = &paths->steps.items[*at];
		const struct plan_block *block;

		if (step->to == PATHS_NONE)
			continue;
		block = &plan->blocks.items[function->first_block + step->to];
		text_format(ret_blocks, "%s%x", ret_blocks->length ? " " : "",
			    block->offset);
		*ret_instructions += block->instructions;
	}
}

/* How a path ended. */
static struct record_value end_of(const struct paths *paths,
				  const struct paths_walk *walk,
				  const struct path_count *path)
{
	static const struct record_value ends[] = {
		[PATHS_LEAVE] = {RECORD_STRING, 5, .bytes = "leave"},
		[PATHS_CUT] = {RECORD_STRING, 4, .bytes = "back"},
		[PATHS_SPLIT] = {RECORD_STRING, 5, .bytes = "split"},
		[PATHS_STOP] = {RECORD_STRING, 4, .bytes = "stop"},
	};
	static const struct record_value away = {RECORD_STRING, 4, .bytes = "call"};

	if (path->end != PATHS_NONE)
		return away;
	return ends[paths->steps.items[walk->items[walk->count - 1]].kind];
}

/* What a record tells of a path. */
struct path_row {
	uint64_t number, of, instructions, count;
	const char *blocks;
	struct record_value end;
};

static void save_row(struct profile_writer *writer, const struct module_counts *from,
		     const struct plan_function *function, const struct path_row *row)
{
	const struct plan_function *whole = plan_whole_of(from->file->plan, function);
	const struct names *n = &writer->names;
	struct record_pair pairs[PAIRS + PROFILE_WRITER_MORE];

	saving_set_number(&pairs[0], n->offset, RECORD_ADDRESS, whole->address);
	saving_set_number(&pairs[1], n->image, RECORD_UINT, from->image->number);
	saving_set_number(&pairs[2], n->path_in, RECORD_ADDRESS, function->address);
	saving_set_number(&pairs[3], n->path_number, RECORD_UINT, row->number);
	saving_set_number(&pairs[4], n->path_total, RECORD_UINT, row->of);
	pairs[5].attribute = n->path_blocks;
	pairs[5].value = record_string(row->blocks);
	pairs[6].attribute = n->path_end;
	pairs[6].value = row->end;
	saving_set_number(&pairs[7], n->path_instructions, RECORD_UINT,
			  row->instructions);
	saving_set_number(&pairs[8], n->path_count, RECORD_UINT, row->count);
	profile_writer_write(writer,
			     profile_writer_function_node(writer, from->file, whole),
			     pairs, PAIRS);
}

static void save_path(struct profile_writer *writer, const struct module_counts *from,
		      const struct plan_function *function, const struct paths *paths,
		      const struct paths_walk *walk, const struct path_count *path)
{
	struct text blocks = {0};
	struct path_row row = {.number = path->number,
			       .of = paths->count,
			       .end = end_of(paths, walk, path),
			       .count = (uint64_t)path->count};

	list_blocks(from->file->plan, function, paths, walk, &blocks, &row.instructions);
	row.blocks = blocks.data;
	save_row(writer, from, function, &row);
	text_deinit(&blocks);
}

/* A function of one block has as many paths as edges: one, or a loop's round, too. */
static void save_single(struct profile_writer *writer, const struct module_counts *from,
			const struct plan_function *function,
			const struct edges_counts *counts)
{
	struct paths paths;
	struct paths_walk walk = {0};
	struct path_count path = {.end = PATHS_NONE};
	int64_t rest;

	if (function->block_count != 1 || !counts->blocks ||
	    !path_counts_paths(from->file->plan, function, &paths))
		return;
	rest = (int64_t)counts->blocks[0];
	for (uint32_t i = 0; counts->edges && i < function->edge_count; i++)
		rest -= (int64_t)counts->edges[i];
	for (uint64_t i = 0; i < paths.count; i++) {
		const struct paths_step *step = &paths.steps.items[i];

		path.number = step->value;
		path.count = step->way == PATHS_NONE || !counts->edges
				     ? rest
				     : (int64_t)counts->edges[step->way];
		/* A call behind which no edge is told apart. */
		if (step->way != PATHS_NONE && counts->edges &&
		    from->file->plan->edges.items[function->first_edge + step->way]
				    .flags &
			    PLAN_EDGE_JOINED)
			path.count = rest;
		if (path.count > 0 && path_counts_walk(&paths, &path, &walk))
			save_path(writer, from, function, &paths, &walk, &path);
	}
	vector_deinit(&walk);
	path_counts_free(&paths);
}

static void save_paths(struct profile_writer *writer, const struct module_counts *from,
		       const struct plan_function *function,
		       const struct edges_counts *counts)
{
	const struct plan *plan = from->file->plan;
	struct path_list list = {0};
	struct paths_walk walk = {0};
	struct paths paths;

	if (!function->paths) {
		save_single(writer, from, function, counts);
		return;
	}
	if (!path_counts_paths(plan, function, &paths))
		return;
	path_counts_list(plan, function, &paths, from->counters, &from->residues, &list);
	vector_for_each (&list, path)
		if (path->count > 0 && path_counts_walk(&paths, path, &walk))
			save_path(writer, from, function, &paths, &walk, path);
	vector_deinit(&list);
	vector_deinit(&walk);
	path_counts_free(&paths);
}

static const struct collector_ops paths_ops = {
	.bank_bytes = WIRE_PATHS_PUT_BY + sizeof(struct wire_paths),
	.begin_bank = path_frames_begin,
	.note_calls = path_frames_note,
	.save_flow = save_paths,
	.save_module = path_graphs_save,
};

const struct collector collector_paths = {
	.name = "paths",
	.summary = "how often every path through each function was taken",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_EDGES,
	.paths = true,
	.slot_size = 8,
	.ops = {&paths_ops, &collector_edges_ops},
};
