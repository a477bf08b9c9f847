#include "code/count/path_counts.h"

#include "base/cleanup.h"
#include "code/emit/path_probe.h"

#include <stdlib.h>
#include <string.h>

bool path_counts_number(const struct plan *plan, const struct plan_function *function,
			const float *passes, const bool *bare, struct paths *ret_paths)
{
	const uint32_t nodes = function->block_count, ways = function->edge_count;
	scoped_free bool *entered = memory_allocate_zeroed(nodes + 1, sizeof(*entered));
	scoped_free struct paths_way *rows = memory_allocate((ways + 1) * sizeof(*rows));

	for (uint32_t i = 0; i < nodes; i++)
		entered[i] = plan->blocks.items[function->first_block + i].flags &
			     PLAN_BLOCK_ENTERED;
	for (uint32_t i = 0; i < ways; i++) {
		const struct plan_edge *edge =
			&plan->edges.items[function->first_edge + i];

		rows[i] = (struct paths_way){
			.from = edge->from,
			.to = edge->to == PLAN_EDGE_OUT ? PATHS_NONE : edge->to,
			.weight = passes ? passes[i] : 0,
			.bare = bare && bare[i],
		};
	}
	rows[ways] = (struct paths_way){.to = PATHS_NONE};
	return paths_init(
		ret_paths,
		&(struct paths_graph){
			.node_count = nodes,
			.entered = entered,
			.ways = rows,
			/* The only block of a function may have no row for its edge. */
			.way_count = nodes == 1 && !ways ? 1 : ways},
		PATH_COUNTS_LIMIT);
}

bool path_counts_paths(const struct plan *plan, const struct plan_function *function,
		       struct paths *ret_paths)
{
	if (!path_counts_number(plan, function, NULL, NULL, ret_paths))
		return false;
	/* What the probes add up follows from their offsets. */
	for (uint32_t i = 0; function->paths && i < function->block_count; i++)
		ret_paths->offsets[i] =
			(int32_t)plan->blocks.items[function->first_block + i].first_term;
	paths_set_increments(ret_paths);
	return true;
}

static int by_number(const void *left, const void *right)
{
	const struct path_count *a = left, *b = right;

	if ((a->end == PATHS_NONE) != (b->end == PATHS_NONE))
		return a->end == PATHS_NONE ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* The block of a function that begins at an address; PATHS_NONE: none. */
static uint32_t block_at(const struct plan *plan, const struct plan_function *function,
			 uint64_t address)
{
	for (uint32_t i = 0; i < function->block_count; i++)
		if (function->address +
			    plan->blocks.items[function->first_block + i].offset ==
		    address)
			return i;
	return PATHS_NONE;
}

static void add_residue(const struct plan *plan, const struct plan_function *function,
			const struct paths *paths, const struct edges_residue *residue,
			struct path_list *list)
{
	uint32_t block = block_at(plan, function, residue->address);
	int64_t number;

	if (block == PATHS_NONE)
		return;
	number = (int64_t)(int32_t)residue->sum - paths->offsets[block];
	if (number < 0 || number >= (int64_t)paths->count)
		return;
	vector_push(list, ((struct path_count){(uint64_t)number, block, residue->by}));
}

static void add_up(struct path_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_number);
	for (size_t i = 0, end; i < list->count; i = end) {
		struct path_count sum = list->items[i];

		for (end = i + 1;
		     end < list->count && !by_number(&list->items[i], &list->items[end]);
		     end++)
			sum.count += list->items[end].count;
		if (sum.count)
			list->items[kept++] = sum;
	}
	list->count = kept;
}

void path_counts_list(const struct plan *plan, const struct plan_function *function,
		      const struct paths *paths, const uint64_t *counters,
		      const struct edges_residues *residues, struct path_list *ret_list)
{
	ret_list->count = 0;
	for (uint32_t i = 0; i < function->paths; i++) {
		uint64_t count = counters[function->slot + PATH_SLOTS + i];

		if (count)
			vector_push(ret_list,
				    ((struct path_count){i, PATHS_NONE, (int64_t)count}));
	}
	for (size_t i = 0; residues && i < residues->count; i++) {
		const struct edges_residue *residue = &residues->items[i];

		if (residue->path &&
		    residue->address - function->address < function->size)
			add_residue(plan, function, paths, residue, ret_list);
	}
	add_up(ret_list);
}

bool path_counts_walk(const struct paths *paths, const struct path_count *path,
		      struct paths_walk *walk)
{
	if (path->end == PATHS_NONE)
		return paths_walk_of(paths, path->number, walk);
	return paths_walk_to(paths, path->end,
			     (int64_t)path->number + paths->offsets[path->end], walk);
}

void path_counts_free(struct paths *paths)
{
	paths_deinit(paths);
}

/* Adds a path to the counts of blocks and edges. */
static void add_walk(const struct paths *paths, const struct paths_walk *walk,
		     int64_t count, struct edges_counts *counts)
{
	vector_for_each (walk, at) {
		const struct paths_step *step = &paths->steps.items[*at];

		if (step->kind == PATHS_PASS || step->kind == PATHS_LEAVE ||
		    paths_goes_on(step))
			counts->edges[step->way] += (uint64_t)count;
		if (step->kind == PATHS_PASS || step->kind == PATHS_BEGIN)
			counts->blocks[step->to] += (uint64_t)count;
	}
}

/* The first path's blocks are entered by calls, but for those that come back to it. */
static void count_calls(const struct plan *plan, const struct plan_function *function,
			struct edges_counts *counts)
{
	counts->calls = counts->blocks[0];
	for (uint32_t i = 0; i < function->block_count; i++)
		counts->stayed[i] = (int64_t)counts->blocks[i];
	for (uint32_t i = 0; i < function->edge_count; i++) {
		const struct plan_edge *edge =
			&plan->edges.items[function->first_edge + i];

		counts->stayed[edge->from] -= (int64_t)counts->edges[i];
		if (!edge->to)
			counts->calls -= counts->edges[i];
	}
	for (uint32_t i = 0; i < function->edge_count; i++) {
		const struct plan_edge *edge =
			&plan->edges.items[function->first_edge + i];

		if (!(edge->flags & PLAN_EDGE_JOINED))
			continue;
		counts->stayed[edge->from] = 0;
		counts->edges[i] = 0;
	}
}

bool path_counts_solve(const struct plan *plan, const struct plan_function *function,
		       const uint64_t *counters, const struct edges_residues *residues,
		       struct edges_counts *ret_counts, uint32_t *ret_fault)
{
	const uint32_t blocks = function->block_count, edges = function->edge_count;
	uint64_t *all =
		memory_allocate_zeroed(2 * (size_t)blocks + edges + 1, sizeof(*all));
	struct edges_counts counts = {
		.blocks = all,
		.edges = all + blocks,
		.stayed = (int64_t *)(all + blocks + edges),
	};
	struct path_list list = {0};
	struct paths_walk walk = {0};
	struct paths paths;

	*ret_fault = 0;
	*ret_counts = (struct edges_counts){0};
	if (!path_counts_paths(plan, function, &paths)) {
		free(all);
		return false;
	}
	path_counts_list(plan, function, &paths, counters, residues, &list);
	vector_for_each (&list, path)
		if (path_counts_walk(&paths, path, &walk))
			add_walk(&paths, &walk, path->count, &counts);
	count_calls(plan, function, &counts);
	vector_deinit(&list);
	vector_deinit(&walk);
	paths_deinit(&paths);
	*ret_counts = counts;
	return true;
}
