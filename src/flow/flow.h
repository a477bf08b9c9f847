/*
 * Counts of all edges and blocks of a function from few counters. As much flow leaves a
 * block as enters it, so counters on the edges outside of a spanning tree of the flow
 * graph are enough, and no smaller number is: edges - nodes + components. With a spanning
 * tree of the greatest weight, an edge's weight being how often it is expected to run,
 * the counters run least.
 *
 * Sources: Knuth and Stevenson, Optimal measurement points for program frequency counts,
 * BIT 13 (1973); Ball and Larus, Optimally profiling and tracing programs, ACM TOPLAS 16
 * (1994). With V nodes and E edges: flow_place takes O(E log E), flow_solve O(V + E),
 * static_profile_estimate O(V + E). None of them recurses.
 *
 * Node 0 is the outside of the function, entry and exit in one, so that flow is conserved
 * at every node. Its edges lead to the first block, and to it from each block that
 * returns, jumps to another function, or calls one that may not return. A block that can
 * be entered again from outside (setjmp) has an unlikely edge from node 0; a landing pad
 * has one from each block with a call that leads to it. Nodes need not be reachable;
 * edges may be parallel (two cases of a switch) or loops.
 */
#ifndef TRAMMEL_FLOW_FLOW_H
#define TRAMMEL_FLOW_FLOW_H

#include "base/bits.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	FLOW_NO_COUNTER = 1, /* cannot carry a counter: should be in the tree */
	FLOW_UNLIKELY = 2,   /* rarely runs: a call that does not return, a throw */
	FLOW_SIGNED = 4, /* its count may be negative, since it stands for edges in both
			    directions; an int64_t in the array of counts */
};

struct flow_edge {
	uint32_t from, to;
	float weight;  /* expected passes: 0 or more; may be a count of an earlier run */
	uint8_t flags; /* FLOW_... */
};

struct flow_graph {
	struct flow_edge *edges;
	uint32_t edge_count;
	uint32_t node_count; /* at least 1: node 0 */
};

/*
 * Chooses the edges that get a counter: those outside of a spanning forest of the
 * greatest weight that contains all edges with FLOW_NO_COUNTER. Of edges with equal
 * weight the earlier ones are in the forest.
 *
 * ret_counted: bitmap by edge, bit_words(edge_count) words of the caller's
 *
 * False: edges with FLOW_NO_COUNTER form a cycle; at least one of them must be split by a
 * new block that can count. The bits of the edges to split, of the least weight that
 * suffice, are set nevertheless.
 */
bool flow_place(const struct flow_graph *graph, uint64_t *ret_counted);

/*
 * Computes the counts of all edges and nodes. No counted edge may have FLOW_SIGNED.
 *
 * counted: the bitmap of flow_place
 * residues: by node, how often it was entered but not left, minus how often it was left
 *     but not entered, for frames that were alive when the process ended; NULL: all 0.
 *     That of node 0 is not read: it makes the sum 0.
 * counts: by edge; reads those of the counted edges, writes all others
 * ret_nodes: by node, how often it ran: the greater of the flows in and out; of node 0
 *     the flow out, that is, into the function. May be NULL.
 * ret_fault: written on failure: the node at which it was noticed
 *
 * False: no flow has these counts (the count of an edge without FLOW_SIGNED would be
 * negative or above INT64_MAX, or the residues of a component without node 0 do not add
 * up to 0), or the edges that are not counted form a cycle. `counts` and `ret_nodes` are
 * undefined then.
 */
bool flow_solve(const struct flow_graph *graph, const uint64_t *counted,
		const int64_t *residues, uint64_t *counts, uint64_t *ret_nodes,
		uint32_t *ret_fault);

#endif
