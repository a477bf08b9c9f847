/*
 * What algorithms on flow graphs share: the edges of each node, and sets of nodes.
 */
#ifndef TRAMMEL_FLOW_GRAPH_H
#define TRAMMEL_FLOW_GRAPH_H

#include "flow/flow.h"

enum { GRAPH_NONE = UINT32_MAX }; /* no node, no edge, no loop */

/* The edges that leave (or enter) node n: edges[starts[n]] to edges[starts[n + 1] - 1],
 * in the order of the graph. */
struct graph_lists {
	uint32_t *starts;
	uint32_t *edges;
};

/* The lists of outgoing edges, in O(V + E). */
void graph_list_outgoing(const struct flow_graph *graph, struct graph_lists *ret_lists);

/* The lists of incoming edges. */
void graph_list_incoming(const struct flow_graph *graph, struct graph_lists *ret_lists);

void graph_lists_deinit(struct graph_lists *lists);

/* For each edge `name` (a number) in the list of a node. */
#define graph_for_each(lists, node, name)                                                \
	for (uint32_t name##_at_ = (lists)->starts[node], name;                          \
	     name##_at_ < (lists)->starts[(node) + 1] &&                                 \
	     (name = (lists)->edges[name##_at_], true);                                  \
	     name##_at_++)

/* Sets of nodes: each of a set alone. A set is known by one of its members. */
uint32_t *graph_sets_create(uint32_t node_count);

/* The member by which the set of `node` is known. Paths are halved on the way (Tarjan and
 * van Leeuwen 1984), so that m calls take O(m log V). */
static inline uint32_t graph_sets_find(uint32_t *sets, uint32_t node)
{
	while (sets[node] != node) {
		sets[node] = sets[sets[node]];
		node = sets[node];
	}
	return node;
}

#endif
