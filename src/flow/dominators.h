/*
 * Dominators: node a dominates b if every way from the entry to b leads over a.
 *
 * Source: Lengauer and Tarjan, A fast algorithm for finding dominators in a flowgraph,
 * ACM TOPLAS 1 (1979), the simple version: O(E log V), without recursion. The iterative
 * algorithms are quadratic where many blocks of a long row lead to one that handles
 * errors.
 */
#ifndef TRAMMEL_FLOW_DOMINATORS_H
#define TRAMMEL_FLOW_DOMINATORS_H

#include "flow/graph.h"

/* Node 0 is the entry; edges to it are left out. Nodes have two numbers each: that of the
 * depth-first search, and one of the tree of dominators. */
struct dominators {
	uint32_t count;      /* of nodes that can be reached */
	uint32_t *nodes;     /* in the order of the search, node 0 first */
	uint32_t *numbers;   /* by node: its place in `nodes`; GRAPH_NONE: not reached */
	uint32_t *lasts;     /* by node: the last place of what was found by way of it */
	uint32_t *immediate; /* by node: the last one that dominates it; GRAPH_NONE for
				node 0 and what is not reached */
	uint32_t *firsts;    /* by node: what it dominates has the tree numbers from */
	uint32_t *sizes;     /* here on, so many of them */
};

void dominators_init(struct dominators *ret_dominators, const struct flow_graph *graph,
		     const struct graph_lists *outgoing,
		     const struct graph_lists *incoming);
void dominators_deinit(struct dominators *dominators);

/* Whether `above` dominates `node`; both can be reached. Each node dominates itself. */
static inline bool dominators_is_above(const struct dominators *dominators,
				       uint32_t above, uint32_t node)
{
	return dominators->firsts[node] - dominators->firsts[above] <
	       dominators->sizes[above];
}

/* Whether an edge between two nodes that can be reached leads back, to a node by way of
 * which the search came. */
static inline bool dominators_is_back(const struct dominators *dominators, uint32_t from,
				      uint32_t to)
{
	return dominators->numbers[to] <= dominators->numbers[from] &&
	       dominators->numbers[from] <= dominators->lasts[to];
}

#endif
