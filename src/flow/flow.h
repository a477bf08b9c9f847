/*
 * Counts of all edges and blocks of a function from few counters. What enters a block
 * leaves it, so that counters on the edges off a spanning tree of the flow graph are
 * enough, and none less are: edges - nodes + components of them. With a tree of the
 * greatest weight, where an edge's weight is how often it is expected to run, the
 * counters run least.
 *
 * Sources: Knuth and Stevenson, Optimal measurement points for program frequency counts,
 * BIT 13 (1973); Ball and Larus, Optimally profiling and tracing programs, ACM TOPLAS 16
 * (1994). With V nodes and E edges: flow_place takes O(E log E), flow_solve O(V + E),
 * static_profile_estimate O(V + E). None of them recurses.
 *
 * Node 0 is the function's outside, its entry and its exit in one, so that flow is
 * conserved at every node. Its edges lead to the first block and from each block that
 * returns, jumps to another function, or calls something that may never come back. What
 * is entered again from outside (setjmp) has an unlikely edge from node 0, a landing pad
 * one from each block with a call that leads to it. Nodes need not be reachable; edges
 * may be parallel (two cases of a switch) or loops.
 */
#ifndef TRAMMEL_FLOW_FLOW_H
#define TRAMMEL_FLOW_FLOW_H

#include "base/bits.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	FLOW_NO_COUNTER = 1, /* cannot carry a counter: wants to be in the tree */
	FLOW_UNLIKELY = 2,   /* hardly ever runs: a call that never returns, a throw */
	FLOW_SIGNED = 4,     /* its count may be less than 0: it stands for edges in both
				directions. An int64_t in the array of counts */
};

struct flow_edge {
	uint32_t from, to;
	float weight;  /* expected passes: 0 or more. A count of an earlier run serves */
	uint8_t flags; /* FLOW_... */
};

struct flow_graph {
	struct flow_edge *edges;
	uint32_t edge_count;
	uint32_t node_count; /* at least 1: node 0 */
};

/*
 * Chooses the edges that get a counter: those off a spanning forest of the greatest
 * weight that has all edges with FLOW_NO_COUNTER. Among edges of one weight the earlier
 * ones are in the forest.
 *
 * ret_counted: bitmap by edge, bit_words(edge_count) words of the caller's
 *
 * False: edges with FLOW_NO_COUNTER form a cycle, at least one of which must be split
 * into two with a block between them that can count. Those of the least weight that are
 * enough have their bits set nevertheless.
 */
bool flow_place(const struct flow_graph *graph, uint64_t *ret_counted);

/*
 * Finds the counts of all edges and nodes. No counted edge has FLOW_SIGNED.
 *
 * counted: the bitmap of flow_place
 * residues: by node, how often it was entered and not left, less how often it was left
 *     and not entered; NULL: never. For frames that were alive when the process ended.
 *     That of node 0 is not read: it is what makes the sum 0.
 * counts: by edge; those of the counted edges are read, all others written
 * ret_nodes: by node: how often it ran, that is, the more of what came in and what went
 *     out; of node 0 what went out, that is, into the function. May be NULL.
 * ret_fault: written when the counts cannot be: the node at which it is seen
 *
 * False: no flow has these counts (one of an edge without FLOW_SIGNED would be negative
 * or beyond INT64_MAX, or residues of a part without node 0 do not add up), or the edges
 * that are not counted form a cycle. `counts` and `ret_nodes` are of no use then.
 */
bool flow_solve(const struct flow_graph *graph, const uint64_t *counted,
		const int64_t *residues, uint64_t *counts, uint64_t *ret_nodes,
		uint32_t *ret_fault);

#endif
