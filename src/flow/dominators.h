/*
 * Dominators: node a dominates b if every path from the entry to b contains a.
 *
 * Source: Lengauer and Tarjan, A fast algorithm for finding dominators in a flowgraph,
 * ACM TOPLAS 1 (1979), the simple version: O(E log V), without recursion. The iterative
 * algorithms are quadratic for long rows of blocks with edges to a common error handler.
 */
#ifndef TRAMMEL_FLOW_DOMINATORS_H
#define TRAMMEL_FLOW_DOMINATORS_H

#include "flow/graph.h"

/* Node 0 is the entry; edges to it are left out. Each node has a number in the depth-
 * first search and one in the dominator tree. */
struct dominators {
	uint32_t count;    /* of reachable nodes */
	uint32_t *nodes;   /* in the order of the search, node 0 first */
	uint32_t *numbers; /* by node: its index in `nodes`; GRAPH_NONE: unreachable */
	uint32_t *lasts;   /* by node: the last index of its descendants in the search */
	uint32_t *immediate; /* by node: its immediate dominator; GRAPH_NONE for node 0
				and unreachable nodes */
	uint32_t *firsts;    /* by node: its number in the dominator tree */
	uint32_t *sizes; /* by node: how many it dominates, itself included: they have the
			    tree numbers from its own on */
};

void dominators_init(struct dominators *ret_dominators, const struct flow_graph *graph,
		     const struct graph_lists *outgoing,
		     const struct graph_lists *incoming);
void dominators_deinit(struct dominators *dominators);

/* Whether `above` dominates `node`; both must be reachable. A node dominates itself. */
static inline bool dominators_is_above(const struct dominators *dominators,
				       uint32_t above, uint32_t node)
{
	return dominators->firsts[node] - dominators->firsts[above] <
	       dominators->sizes[above];
}

/* Whether an edge between two reachable nodes is a back edge of the search: `to` is an
 * ancestor of `from`. */
static inline bool dominators_is_back(const struct dominators *dominators, uint32_t from,
				      uint32_t to)
{
	return dominators->numbers[to] <= dominators->numbers[from] &&
	       dominators->numbers[from] <= dominators->lasts[to];
}

#endif
