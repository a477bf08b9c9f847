#include "flow/paths.h"

#include "base/cleanup.h"
#include "flow/graph.h"

#include <stdlib.h>
#include <string.h>

/* Work on one graph. Edges that leave the function lead to node 0 of `flow`, whose nodes
 * are those of the graph, plus 1. */
struct numbering {
	const struct paths_graph *graph;
	struct flow_graph flow;
	struct graph_lists outgoing;
	uint8_t *cut;     /* by way: PATHS_CUT, PATHS_SPLIT, or 0 */
	bool *begins;     /* by node */
	uint32_t *order;  /* nodes, each behind all that it leads to */
	uint32_t ordered; /* how many: those that can be reached */
	uint64_t *counts; /* by node: paths from there on */
	uint64_t total;
};

enum color { WHITE, GREY, BLACK };

/* Searches from one node, depth first; edges to a node that is being searched are cut. */
static void search_from(struct numbering *work, uint32_t root, uint8_t *colors,
			uint32_t *stack, uint32_t *next)
{
	uint32_t depth = 0;

	if (colors[root] != WHITE)
		return;
	colors[root] = GREY;
	next[root] = work->outgoing.starts[root + 1];
	stack[depth++] = root;
	while (depth) {
		uint32_t node = stack[depth - 1], way, to;

		if (next[node] == work->outgoing.starts[node + 2]) {
			colors[node] = BLACK;
			work->order[work->ordered++] = node;
			depth--;
			continue;
		}
		way = work->outgoing.edges[next[node]++];
		to = work->graph->ways[way].to;
		if (to == PATHS_NONE || colors[to] == BLACK)
			continue;
		if (colors[to] == GREY) {
			work->cut[way] = PATHS_CUT;
			work->begins[to] = true;
			continue;
		}
		colors[to] = GREY;
		next[to] = work->outgoing.starts[to + 1];
		stack[depth++] = to;
	}
}

static void cut_cycles(struct numbering *work)
{
	const uint32_t count = work->graph->node_count;
	scoped_free uint8_t *colors = memory_allocate_zeroed(count + 1, 1);
	scoped_free uint32_t *stack = memory_allocate((count + 1) * sizeof(*stack));
	scoped_free uint32_t *next = memory_allocate((count + 1) * sizeof(*next));

	memset(work->cut, 0, work->graph->way_count * sizeof(*work->cut));
	for (uint32_t i = 0; i < count; i++)
		work->begins[i] = !i || (work->graph->entered && work->graph->entered[i]);
	work->ordered = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!i || (work->graph->entered && work->graph->entered[i]))
			search_from(work, i, colors, stack, next);
}

/* Counts the paths from a node on; with more than `limit` of them its edges are cut. */
static void count_from(struct numbering *work, uint32_t node, uint64_t limit)
{
	uint64_t sum = 0;
	uint32_t ways = 0;

	graph_for_each (&work->outgoing, node + 1, way) {
		uint32_t to = work->graph->ways[way].to;

		sum += to == PATHS_NONE || work->cut[way] ? 1 : work->counts[to];
		ways++;
	}
	if (sum > limit && sum > ways) {
		graph_for_each (&work->outgoing, node + 1, way) {
			uint32_t to = work->graph->ways[way].to;

			if (to == PATHS_NONE || work->cut[way])
				continue;
			work->cut[way] = PATHS_SPLIT;
			work->begins[to] = true;
		}
		sum = ways;
	}
	work->counts[node] = sum ? sum : 1;
}

/* Cuts edges until there are few enough paths. */
static bool count_paths(struct numbering *work, uint64_t limit)
{
	for (uint64_t most = limit; most; most /= 4) {
		cut_cycles(work);
		for (uint32_t i = 0; i < work->ordered; i++)
			count_from(work, work->order[i], most);
		work->total = 0;
		for (uint32_t i = 0; i < work->ordered; i++)
			if (work->begins[work->order[i]])
				work->total += work->counts[work->order[i]];
		if (work->total <= limit)
			return true;
	}
	return false;
}

static int by_count(const void *left, const void *right)
{
	const struct paths_step *a = left, *b = right;

	/* Sorted while `value` is the number of paths behind a step. */
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->way < b->way ? -1 : a->way > b->way;
}

/* Sorts the steps from `first` on, and turns numbers of paths into values. */
static void set_values(struct paths *paths, uint32_t first)
{
	struct paths_step *steps = paths->steps.items + first;
	size_t count = paths->steps.count - first;
	uint64_t sum = 0;

	if (count > 1)
		qsort(steps, count, sizeof(*steps), by_count);
	for (size_t i = 0; i < count; i++) {
		uint64_t behind = steps[i].value;

		steps[i].value = sum;
		sum += behind;
	}
}

static void add_steps(const struct numbering *work, struct paths *paths, uint32_t node)
{
	uint32_t first = (uint32_t)paths->steps.count;

	graph_for_each (&work->outgoing, node + 1, way) {
		uint32_t to = work->graph->ways[way].to;
		bool ends = to == PATHS_NONE || work->cut[way];

		vector_push(&paths->steps, ((struct paths_step){
						   .from = node,
						   .to = ends ? PATHS_NONE : to,
						   .way = way,
						   .kind = to == PATHS_NONE ? PATHS_LEAVE
							   : ends ? work->cut[way]
								  : PATHS_PASS,
						   .value = ends ? 1 : work->counts[to],
					   }));
	}
	if (paths->steps.count == first)
		vector_push(&paths->steps, ((struct paths_step){.from = node,
								.to = PATHS_NONE,
								.way = PATHS_NONE,
								.kind = PATHS_STOP,
								.value = 1}));
	set_values(paths, first);
}

static void add_beginnings(const struct numbering *work, struct paths *paths)
{
	uint32_t first = (uint32_t)paths->steps.count;

	for (uint32_t i = 0; i < work->ordered; i++)
		if (work->begins[work->order[i]])
			vector_push(&paths->steps,
				    ((struct paths_step){
					    .from = PATHS_NONE,
					    .to = work->order[i],
					    .way = PATHS_NONE,
					    .kind = PATHS_BEGIN,
					    .value = work->counts[work->order[i]],
				    }));
	set_values(paths, first);
}

/* Finds what comes to a node along one way only. From beginnings on: `order` has nodes
 * behind all that they lead to. */
static void find_only(const struct numbering *work, struct paths *paths)
{
	enum { SEVERAL = -1, NONE = -2 };

	for (uint32_t i = 0; i < paths->node_count; i++)
		paths->only[i] =
			paths->begin_of[i] == PATHS_NONE
				? NONE
				: (int64_t)paths->steps.items[paths->begin_of[i]].value;
	for (uint32_t i = work->ordered; i-- > 0;) {
		const uint32_t node = work->order[i];

		for (uint32_t k = paths->first[node]; k < paths->first[node + 1]; k++) {
			const struct paths_step *step = &paths->steps.items[k];

			if (step->kind != PATHS_PASS)
				continue;
			paths->only[step->to] =
				paths->only[step->to] == NONE && paths->only[node] >= 0
					? paths->only[node] + (int64_t)step->value
					: SEVERAL;
		}
	}
}

static void list_steps(const struct numbering *work, struct paths *paths)
{
	scoped_free bool *reached =
		memory_allocate_zeroed(paths->node_count + 1, sizeof(*reached));

	for (uint32_t i = 0; i < work->ordered; i++)
		reached[work->order[i]] = true;
	for (uint32_t i = 0; i < paths->node_count; i++) {
		paths->first[i] = (uint32_t)paths->steps.count;
		if (reached[i])
			add_steps(work, paths, i);
	}
	paths->first[paths->node_count] = (uint32_t)paths->steps.count;
	add_beginnings(work, paths);
	paths->first[paths->node_count + 1] = (uint32_t)paths->steps.count;
	for (uint32_t i = 0; i < paths->node_count; i++)
		paths->begin_of[i] = PATHS_NONE;
	for (uint32_t i = 0; i < work->graph->way_count; i++)
		paths->step_of[i] = PATHS_NONE;
	for (uint32_t i = 0; i < paths->steps.count; i++) {
		const struct paths_step *step = &paths->steps.items[i];

		if (step->kind == PATHS_BEGIN)
			paths->begin_of[step->to] = i;
		if (step->way != PATHS_NONE)
			paths->step_of[step->way] = i;
	}
	find_only(work, paths);
}

/* The graph of the passes alone: what the spanning tree is chosen from. */
static bool find_tree(const struct paths *paths, const struct paths_graph *graph,
		      uint64_t *ret_counted, struct flow_graph *ret_passes)
{
	struct flow_graph flow = {
		.edges = memory_allocate((paths->steps.count + 1) * sizeof(*flow.edges)),
		.node_count = paths->node_count + 1};

	vector_for_each (&paths->steps, step) {
		bool pass = step->kind == PATHS_PASS;

		/* Loops at node 0 keep the numbers of steps: they are in no tree. */
		flow.edges[flow.edge_count++] = (struct flow_edge){
			.from = pass ? step->from + 1 : 0,
			.to = pass ? step->to + 1 : 0,
			.weight = pass ? graph->ways[step->way].weight : 0,
			.flags =
				pass && graph->ways[step->way].bare ? FLOW_NO_COUNTER : 0,
		};
	}
	*ret_passes = flow;
	return flow_place(&flow, ret_counted);
}

/* Edges of the tree at each node: those of node n are both[starts[n]] to
 * both[starts[n + 1] - 1]. */
struct tree {
	uint32_t *starts, *both;
	struct VECTOR(uint32_t) open; /* nodes whose neighbours are still to be found */
	bool *known;
};

static void list_tree(const struct paths *paths, const uint64_t *counted,
		      struct tree *tree)
{
	struct VECTOR(uint32_t) edges = {0};

	for (uint32_t i = 0; i < paths->steps.count; i++)
		if (paths->steps.items[i].kind == PATHS_PASS && !bit_test(counted, i))
			vector_push(&edges, i);
	vector_for_each (&edges, i) {
		tree->starts[paths->steps.items[*i].from]++;
		tree->starts[paths->steps.items[*i].to]++;
	}
	for (uint32_t i = 1; i <= paths->node_count; i++)
		tree->starts[i] += tree->starts[i - 1];
	vector_for_each (&edges, i) {
		tree->both[--tree->starts[paths->steps.items[*i].from]] = *i;
		tree->both[--tree->starts[paths->steps.items[*i].to]] = *i;
	}
	vector_deinit(&edges);
}

/* Sets the offsets of the neighbours of a node. */
static void pass_on_offset(struct paths *paths, struct tree *tree, uint32_t node)
{
	for (uint32_t k = tree->starts[node]; k < tree->starts[node + 1]; k++) {
		const struct paths_step *step = &paths->steps.items[tree->both[k]];
		bool out = step->from == node;
		uint32_t other = out ? step->to : step->from;

		if (tree->known[other])
			continue;
		tree->known[other] = true;
		paths->offsets[other] =
			paths->offsets[node] +
			(out ? -(int64_t)step->value : (int64_t)step->value);
		vector_push(&tree->open, other);
	}
}

/* Finds the offsets of the nodes: along edges of the tree the running sum stays as it is.
 */
static void find_offsets(struct paths *paths, const uint64_t *counted)
{
	scoped_free bool *known =
		memory_allocate_zeroed(paths->node_count + 1, sizeof(*known));
	scoped_free uint32_t *starts =
		memory_allocate_zeroed(paths->node_count + 2, sizeof(*starts));
	scoped_free uint32_t *both =
		memory_allocate((2 * paths->steps.count + 1) * sizeof(*both));
	struct tree tree = {.starts = starts, .both = both, .known = known};

	list_tree(paths, counted, &tree);
	for (uint32_t root = 0; root < paths->node_count; root++) {
		if (known[root])
			continue;
		known[root] = true;
		vector_push(&tree.open, root);
		while (tree.open.count)
			pass_on_offset(paths, &tree, tree.open.items[--tree.open.count]);
	}
	vector_deinit(&tree.open);
}

void paths_set_increments(struct paths *paths)
{
	vector_for_each (&paths->steps, step)
		step->increment =
			(int64_t)step->value +
			(step->to == PATHS_NONE ? 0 : paths->offsets[step->to]) -
			(step->from == PATHS_NONE ? 0 : paths->offsets[step->from]);
}

static bool place_increments(struct paths *paths, const struct paths_graph *graph)
{
	scoped_free uint64_t *counted = memory_allocate_zeroed(
		bit_words((uint32_t)paths->steps.count + 1), sizeof(*counted));
	struct flow_graph passes;
	bool good = find_tree(paths, graph, counted, &passes);

	free(passes.edges);
	if (!good)
		return false;
	find_offsets(paths, counted);
	paths_set_increments(paths);
	return true;
}

static void numbering_init(struct numbering *work, const struct paths_graph *graph)
{
	const uint32_t nodes = graph->node_count, ways = graph->way_count;

	*work = (struct numbering){
		.graph = graph,
		.flow = {.edges = memory_allocate((ways + 1) * sizeof(*work->flow.edges)),
			 .edge_count = ways,
			 .node_count = nodes + 1},
		.cut = memory_allocate_zeroed(ways + 1, sizeof(*work->cut)),
		.begins = memory_allocate_zeroed(nodes + 1, sizeof(*work->begins)),
		.order = memory_allocate((nodes + 1) * sizeof(*work->order)),
		.counts = memory_allocate((nodes + 1) * sizeof(*work->counts)),
	};
	for (uint32_t i = 0; i < ways; i++)
		work->flow.edges[i] = (struct flow_edge){
			.from = graph->ways[i].from + 1,
			.to = graph->ways[i].to == PATHS_NONE ? 0 : graph->ways[i].to + 1,
		};
	graph_list_outgoing(&work->flow, &work->outgoing);
}

static void numbering_deinit(struct numbering *work)
{
	free(work->flow.edges);
	graph_lists_deinit(&work->outgoing);
	free(work->cut);
	free(work->begins);
	free(work->order);
	free(work->counts);
}

bool paths_init(struct paths *ret_paths, const struct paths_graph *graph, uint64_t limit)
{
	const uint32_t nodes = graph->node_count;
	struct paths paths = {.node_count = nodes};
	struct numbering work;
	bool good;

	numbering_init(&work, graph);
	paths.first = memory_allocate((nodes + 2) * sizeof(*paths.first));
	paths.step_of = memory_allocate((graph->way_count + 1) * sizeof(*paths.step_of));
	paths.begin_of = memory_allocate((nodes + 1) * sizeof(*paths.begin_of));
	paths.offsets = memory_allocate_zeroed(nodes + 1, sizeof(*paths.offsets));
	paths.only = memory_allocate_zeroed(nodes + 1, sizeof(*paths.only));
	good = nodes && count_paths(&work, limit);
	if (good) {
		paths.count = work.total;
		list_steps(&work, &paths);
		good = place_increments(&paths, graph);
	}
	numbering_deinit(&work);
	if (!good)
		paths_deinit(&paths);
	*ret_paths = paths;
	return good;
}

void paths_deinit(struct paths *paths)
{
	vector_deinit(&paths->steps);
	free(paths->first);
	free(paths->step_of);
	free(paths->begin_of);
	free(paths->offsets);
	free(paths->only);
	*paths = (struct paths){0};
}

/* The step of a node (node_count: a beginning) with the greatest value up to `rest`. */
static uint32_t find_step(const struct paths *paths, uint32_t node, uint64_t rest)
{
	uint32_t low = paths->first[node], high = paths->first[node + 1];

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (paths->steps.items[middle].value <= rest)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool paths_walk_of(const struct paths *paths, uint64_t number, struct paths_walk *walk)
{
	uint32_t node = paths->node_count;
	uint64_t rest = number;

	walk->count = 0;
	if (number >= paths->count)
		return false;
	while (node != PATHS_NONE) {
		uint32_t step = find_step(paths, node, rest);

		vector_push(walk, step);
		rest -= paths->steps.items[step].value;
		node = paths->steps.items[step].to;
	}
	return !rest;
}

bool paths_walk_to(const struct paths *paths, uint32_t node, int64_t sum,
		   struct paths_walk *walk)
{
	int64_t number = node < paths->node_count ? sum - paths->offsets[node] : -1;

	/* The first step from each node has value 0, so the path up to here has the
	 * number of a whole one. */
	if (number < 0 || !paths_walk_of(paths, (uint64_t)number, walk))
		return false;
	while (walk->count && paths->steps.items[walk->items[walk->count - 1]].to != node)
		walk->count--;
	return walk->count;
}
