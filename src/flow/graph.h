/*
 * Data structures shared by the algorithms on flow graphs: edge lists of nodes, and sets
 * of nodes.
 */
#ifndef TRAMMEL_FLOW_GRAPH_H
#define TRAMMEL_FLOW_GRAPH_H

#include "flow/flow.h"

enum { GRAPH_NONE = UINT32_MAX }; /* no node, no edge, no loop */

/* Edges that leave (or enter) node n: edges[starts[n]] to edges[starts[n + 1] - 1], in
 * the order of the graph. */
struct graph_lists {
	uint32_t *starts;
	uint32_t *edges;
};

/* Lists the outgoing edges of all nodes, in O(V + E). */
void graph_list_outgoing(const struct flow_graph *graph, struct graph_lists *ret_lists);

/* Lists the incoming edges of all nodes, in O(V + E). */
void graph_list_incoming(const struct flow_graph *graph, struct graph_lists *ret_lists);

void graph_lists_deinit(struct graph_lists *lists);

/* Loops over the edges in the list of a node; `name` is the edge's number. */
#define graph_for_each(lists, node, name)                                                \
	for (uint32_t name##_at_ = (lists)->starts[node], name;                          \
	     name##_at_ < (lists)->starts[(node) + 1] &&                                 \
	     (name = (lists)->edges[name##_at_], true);                                  \
	     name##_at_++)

/* Creates disjoint sets, one for each node. A member represents each set. */
uint32_t *graph_sets_create(uint32_t node_count);

/* The representative of the set of `node`, with path halving (Tarjan and van Leeuwen
 * 1984): m calls take O(m log V). */
static inline uint32_t graph_sets_find(uint32_t *sets, uint32_t node)
{
	while (sets[node] != node) {
		sets[node] = sets[sets[node]];
		node = sets[node];
	}
	return node;
}

#endif
