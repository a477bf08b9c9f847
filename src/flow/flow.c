#include "flow/flow.h"

#include "base/cleanup.h"
#include "base/vector.h"
#include "flow/graph.h"

/* The order in which Kruskal's algorithm takes edges: heavy ones first, then by number.
 * Floats that are not negative are ordered as their bits are. */
static uint64_t key_of(const struct flow_edge *edge, uint32_t number)
{
	union {
		float value;
		uint32_t bits;
	} weight = {.value = edge->weight};

	return (uint64_t)~weight.bits << 32 | number;
}

enum { RUN = 8 }; /* keys that are sorted by insertion */

static void merge_runs(const uint64_t *from, uint32_t first, uint32_t middle,
		       uint32_t end, uint64_t *to)
{
	uint32_t left = first, right = middle;

	for (uint32_t i = first; i < end; i++)
		if (right == end || (left < middle && from[left] < from[right]))
			to[i] = from[left++];
		else
			to[i] = from[right++];
}

/* Most functions have few edges, and there are many functions: qsort(3) would call back
 * for each comparison. `scratch` has room for as many. Returns where the sorted ones are.
 */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *scratch, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		uint64_t key = keys[i];
		uint32_t at = i;

		for (; at % RUN && keys[at - 1] > key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
	for (uint64_t size = RUN; size < count; size *= 2) {
		uint64_t *from = keys;

		for (uint64_t i = 0; i < count; i += 2 * size) {
			uint64_t middle = i + size < count ? i + size : count;
			uint64_t end = i + 2 * size < count ? i + 2 * size : count;

			merge_runs(from, (uint32_t)i, (uint32_t)middle, (uint32_t)end,
				   scratch);
		}
		keys = scratch;
		scratch = from;
	}
	return keys;
}

/* Adds the edges with, or without, FLOW_NO_COUNTER to the forest. Returns the number of
 * edges whose ends were connected already; sets their bits. */
static uint32_t span_tree(const struct flow_graph *graph, uint8_t no_counter,
			  uint32_t *sets, uint64_t *keys, uint64_t *ret_counted)
{
	uint32_t count = 0, left = 0;

	for (uint32_t i = 0; i < graph->edge_count; i++)
		if ((graph->edges[i].flags & FLOW_NO_COUNTER) == no_counter)
			keys[count++] = key_of(&graph->edges[i], i);
	keys = sort_keys(keys, keys + graph->edge_count, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct flow_edge *edge = &graph->edges[(uint32_t)keys[i]];
		uint32_t from = graph_sets_find(sets, edge->from);
		uint32_t to = graph_sets_find(sets, edge->to);

		if (from != to) {
			sets[from] = to;
			continue;
		}
		bit_set(ret_counted, (uint32_t)keys[i]);
		left++;
	}
	return left;
}

bool flow_place(const struct flow_graph *graph, uint64_t *ret_counted)
{
	scoped_free uint32_t *sets = graph_sets_create(graph->node_count);
	scoped_free uint64_t *keys =
		memory_allocate((2 * (size_t)graph->edge_count + 1) * sizeof(*keys));
	uint32_t left;

	memset(ret_counted, 0, bit_words(graph->edge_count) * sizeof(*ret_counted));
	left = span_tree(graph, FLOW_NO_COUNTER, sets, keys, ret_counted);
	span_tree(graph, 0, sets, keys, ret_counted);
	return !left;
}

/* State of a node while the tree is peeled. */
struct balance {
	int64_t surplus;  /* what came in, less what went out, less the residue */
	uint32_t unknown; /* edges of the tree that are not solved yet */
	uint32_t edges;   /* their numbers, all XORed: the number itself if it is one */
};

static bool add_checked(int64_t *sum, int64_t value)
{
	return !__builtin_add_overflow(*sum, value, sum);
}

/* Each partial sum of a flow that can be is within the count of its node, so that an
 * overflow is a fault of the counts. Whether an edge is counted is as good as random to
 * the processor, so there are no branches. */
static bool weigh_edges(const struct flow_graph *graph, const uint64_t *counted,
			const uint64_t *counts, struct balance *balances,
			uint32_t *ret_fault)
{
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct flow_edge *edge = &graph->edges[i];
		struct balance *from = &balances[edge->from], *to = &balances[edge->to];
		uint32_t known = bit_test(counted, i);
		int64_t count = (int64_t)(counts[i] & -(uint64_t)known);
		bool bad_to = !add_checked(&to->surplus, count) | (count < 0);
		bool bad_from =
			__builtin_sub_overflow(from->surplus, count, &from->surplus);

		from->unknown += !known;
		to->unknown += !known;
		from->edges ^= i & (known - 1);
		to->edges ^= i & (known - 1);
		if (!bad_to && !bad_from)
			continue;
		*ret_fault = bad_to ? edge->to : edge->from;
		return false;
	}
	return true;
}

/* Solves the only unknown edge of `*node`, and goes on to its other end. */
static bool peel_leaves(const struct flow_graph *graph, struct balance *balances,
			uint64_t *counts, uint32_t *node)
{
	struct balance *leaf = &balances[*node];
	const struct flow_edge *edge = &graph->edges[leaf->edges];
	bool incoming = edge->to == *node;
	uint32_t other = incoming ? edge->from : edge->to;
	int64_t count = leaf->surplus;

	if (incoming && __builtin_sub_overflow(0, leaf->surplus, &count))
		return false;
	if (count < 0 && !(edge->flags & FLOW_SIGNED))
		return false;
	counts[leaf->edges] = (uint64_t)count;
	balances[other].unknown--;
	balances[other].edges ^= leaf->edges;
	*leaf = (struct balance){0};
	*node = other;
	return add_checked(&balances[other].surplus, incoming ? -count : count);
}

static bool count_nodes(const struct flow_graph *graph, const uint64_t *counts,
			uint64_t *ret_nodes, uint32_t *ret_fault)
{
	scoped_free uint64_t *left =
		memory_allocate_zeroed(graph->node_count, sizeof(*left));

	memset(ret_nodes, 0, graph->node_count * sizeof(*ret_nodes));
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		bool back = counts[i] > INT64_MAX;
		uint64_t count = back ? -counts[i] : counts[i];
		uint32_t in = back ? graph->edges[i].from : graph->edges[i].to;
		uint32_t out = back ? graph->edges[i].to : graph->edges[i].from;
		uint64_t *to = &ret_nodes[in], *from = &left[out];

		*ret_fault = in;
		if (__builtin_add_overflow(*to, count, to) || *to > INT64_MAX)
			return false;
		*ret_fault = out;
		if (__builtin_add_overflow(*from, count, from) || *from > INT64_MAX)
			return false;
	}
	for (uint32_t i = 0; i < graph->node_count; i++)
		if (!i || ret_nodes[i] < left[i])
			ret_nodes[i] = left[i];
	return true;
}

bool flow_solve(const struct flow_graph *graph, const uint64_t *counted,
		const int64_t *residues, uint64_t *counts, uint64_t *ret_nodes,
		uint32_t *ret_fault)
{
	scoped_free struct balance *balances =
		memory_allocate_zeroed(graph->node_count, sizeof(*balances));

	for (uint32_t i = 1; residues && i < graph->node_count; i++) {
		*ret_fault = i;
		if (__builtin_sub_overflow(0, residues[i], &balances[i].surplus))
			return false;
	}
	if (!weigh_edges(graph, counted, counts, balances, ret_fault))
		return false;
	for (uint32_t i = 1; i < graph->node_count; i++)
		for (uint32_t node = i; node && balances[node].unknown == 1;) {
			bool sound = peel_leaves(graph, balances, counts, &node);

			*ret_fault = node;
			if (!sound)
				return false;
		}
	/* Node 0 is never peeled: its equation is the sum of all others. Elsewhere one
	 * node of each part is left, whose sum says whether the part is sound. */
	for (uint32_t i = 1; i <= graph->node_count; i++) {
		*ret_fault = i % graph->node_count;
		if (balances[*ret_fault].unknown ||
		    (*ret_fault && balances[*ret_fault].surplus))
			return false;
	}
	return !ret_nodes || count_nodes(graph, counts, ret_nodes, ret_fault);
}
