#include "flow/dominators.h"

#include "base/cleanup.h"
#include "base/vector.h"

/* All arrays are by number in the search. Names are those of the paper, except that
 * GRAPH_NONE in `ancestors` marks the root of a tree of the forest. */
struct lengauer_tarjan {
	const struct flow_graph *graph;
	const struct graph_lists *incoming;
	const struct dominators *dominators;
	uint32_t *parents;
	uint32_t *semi;
	uint32_t *labels;
	uint32_t *ancestors;
	uint32_t *buckets; /* the first of the nodes with this semidominator */
	uint32_t *next;    /* the next node in the same bucket */
	uint32_t *idom;
	uint32_t *path;
};

static uint32_t *nodes_create(uint32_t count, uint32_t value)
{
	uint32_t *nodes = memory_allocate(((size_t)count + 1) * sizeof(*nodes));

	for (uint32_t i = 0; i < count; i++)
		nodes[i] = value;
	return nodes;
}

/* Numbers the nodes in preorder; parents are numbers, too. */
static void search_depth_first(struct dominators *dominators,
			       const struct flow_graph *graph,
			       const struct graph_lists *outgoing, uint32_t *ret_parents)
{
	scoped_free uint32_t *path = nodes_create(graph->node_count, 0);
	scoped_free uint32_t *next = nodes_create(graph->node_count, 0);
	uint32_t depth = 1;

	memcpy(next, outgoing->starts, graph->node_count * sizeof(*next));
	dominators->nodes[0] = dominators->numbers[0] = 0;
	dominators->count = 1;
	ret_parents[0] = GRAPH_NONE;
	path[0] = 0;
	while (depth) {
		uint32_t node = path[depth - 1], to;

		if (next[node] == outgoing->starts[node + 1]) {
			dominators->lasts[node] = dominators->count - 1;
			depth--;
			continue;
		}
		to = graph->edges[outgoing->edges[next[node]++]].to;
		if (dominators->numbers[to] != GRAPH_NONE)
			continue;
		ret_parents[dominators->count] = dominators->numbers[node];
		dominators->numbers[to] = dominators->count;
		dominators->nodes[dominators->count++] = to;
		path[depth++] = to;
	}
}

/* EVAL: the node with the least semidominator on the way up the forest, whose path is
 * compressed from the top down. */
static uint32_t evaluate_node(struct lengauer_tarjan *state, uint32_t number)
{
	uint32_t *ancestors = state->ancestors, *labels = state->labels, depth = 0;

	if (ancestors[number] == GRAPH_NONE)
		return number;
	for (uint32_t at = number; ancestors[ancestors[at]] != GRAPH_NONE;
	     at = ancestors[at])
		state->path[depth++] = at;
	while (depth) {
		uint32_t at = state->path[--depth], above = ancestors[at];

		if (state->semi[labels[above]] < state->semi[labels[at]])
			labels[at] = labels[above];
		ancestors[at] = ancestors[above];
	}
	return labels[number];
}

static void find_semidominator(struct lengauer_tarjan *state, uint32_t number)
{
	uint32_t *semi = &state->semi[number];

	graph_for_each (state->incoming, state->dominators->nodes[number], edge) {
		uint32_t from =
			state->dominators->numbers[state->graph->edges[edge].from];

		if (from == GRAPH_NONE)
			continue;
		from = evaluate_node(state, from);
		if (state->semi[from] < *semi)
			*semi = state->semi[from];
	}
	state->next[number] = state->buckets[*semi];
	state->buckets[*semi] = number;
}

static void empty_bucket(struct lengauer_tarjan *state, uint32_t parent)
{
	uint32_t number = state->buckets[parent];

	state->buckets[parent] = GRAPH_NONE;
	for (; number != GRAPH_NONE; number = state->next[number]) {
		uint32_t least = evaluate_node(state, number);

		state->idom[number] =
			state->semi[least] < state->semi[number] ? least : parent;
	}
}

static void run_lengauer_tarjan(struct lengauer_tarjan *state, uint32_t count)
{
	for (uint32_t i = count; --i;) {
		find_semidominator(state, i);
		state->ancestors[i] = state->parents[i];
		empty_bucket(state, state->parents[i]);
	}
	for (uint32_t i = 1; i < count; i++)
		if (state->idom[i] != state->semi[i])
			state->idom[i] = state->idom[state->idom[i]];
}

/* Numbers the tree so that what a node dominates follows it. A dominator has a lower
 * number of the search than what it dominates. */
static void number_tree(struct dominators *dominators)
{
	scoped_free uint32_t *next = nodes_create(dominators->count, 0);

	for (uint32_t i = dominators->count; --i;) {
		uint32_t node = dominators->nodes[i];

		dominators->sizes[dominators->immediate[node]] += dominators->sizes[node];
	}
	dominators->firsts[0] = 0;
	next[0] = 1;
	for (uint32_t i = 1; i < dominators->count; i++) {
		uint32_t node = dominators->nodes[i];
		uint32_t above = dominators->numbers[dominators->immediate[node]];

		dominators->firsts[node] = next[above];
		next[above] += dominators->sizes[node];
		next[i] = dominators->firsts[node] + 1;
	}
}

void dominators_init(struct dominators *ret_dominators, const struct flow_graph *graph,
		     const struct graph_lists *outgoing,
		     const struct graph_lists *incoming)
{
	uint32_t nodes = graph->node_count;
	scoped_free uint32_t *parents = nodes_create(nodes, 0);
	/* At first each node is its own semidominator and label. */
	scoped_free uint32_t *semi = graph_sets_create(nodes);
	scoped_free uint32_t *labels = graph_sets_create(nodes);
	scoped_free uint32_t *ancestors = nodes_create(nodes, GRAPH_NONE);
	scoped_free uint32_t *buckets = nodes_create(nodes, GRAPH_NONE);
	scoped_free uint32_t *next = nodes_create(nodes, GRAPH_NONE);
	scoped_free uint32_t *idom = nodes_create(nodes, 0);
	scoped_free uint32_t *path = nodes_create(nodes, 0);
	struct lengauer_tarjan state = {
		.graph = graph,
		.incoming = incoming,
		.dominators = ret_dominators,
		.parents = parents,
		.semi = semi,
		.labels = labels,
		.ancestors = ancestors,
		.buckets = buckets,
		.next = next,
		.idom = idom,
		.path = path,
	};

	*ret_dominators = (struct dominators){
		.nodes = nodes_create(nodes, 0),
		.numbers = nodes_create(nodes, GRAPH_NONE),
		.lasts = nodes_create(nodes, 0),
		.immediate = nodes_create(nodes, GRAPH_NONE),
		.firsts = nodes_create(nodes, 0),
		.sizes = nodes_create(nodes, 1),
	};
	search_depth_first(ret_dominators, graph, outgoing, parents);
	run_lengauer_tarjan(&state, ret_dominators->count);
	for (uint32_t i = 1; i < ret_dominators->count; i++)
		ret_dominators->immediate[ret_dominators->nodes[i]] =
			ret_dominators->nodes[idom[i]];
	number_tree(ret_dominators);
}

void dominators_deinit(struct dominators *dominators)
{
	free(dominators->nodes);
	free(dominators->numbers);
	free(dominators->lasts);
	free(dominators->immediate);
	free(dominators->firsts);
	free(dominators->sizes);
	*dominators = (struct dominators){0};
}
