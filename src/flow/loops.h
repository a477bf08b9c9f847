/*
 * Loops of a function, and how often they run, from the counts of its edges. A natural
 * loop has a header, which dominates all of it, and edges back to the header; those with
 * one header are one loop. Two loops are apart or one is in the other.
 *
 * Sources: Aho, Lam, Sethi, Ullman, Compilers, section 9.6 (natural loops); Tarjan,
 * Testing flow graph reducibility, JCSS 9 (1974), and Havlak, Nesting of reducible and
 * irreducible loops, ACM TOPLAS 19 (1997): inner loops first, each then taken for one
 * node. O(E log V), without recursion.
 */
#ifndef TRAMMEL_FLOW_LOOPS_H
#define TRAMMEL_FLOW_LOOPS_H

#include "flow/graph.h"

#include "base/vector.h"

struct loop {
	uint32_t header;     /* a node */
	uint32_t parent;     /* the loop around it; GRAPH_NONE: none */
	uint32_t depth;      /* loops that it is in, itself included: 1 or more */
	uint64_t entries;    /* from outside; see loops_count */
	uint64_t iterations; /* passes of the header: entries and edges back */
};

struct loops {
	struct VECTOR(struct loop) loops; /* a loop is behind those around it */
	uint32_t *innermost;              /* by node: the innermost loop; or GRAPH_NONE */
	uint64_t *back;                   /* bitmap by edge: it leads back to a header */
	uint32_t irregular; /* edges that close a cycle which is no natural loop: it can
			       be entered at several nodes, and has no trip count */
};

/* Node 0 is outside of all loops: edges to it are left out. So are nodes that cannot be
 * reached. */
void loops_init(struct loops *ret_loops, const struct flow_graph *graph);
void loops_deinit(struct loops *loops);

/* Fills in entries and iterations from the counts of all edges (flow_solve). */
void loops_count(struct loops *loops, const struct flow_graph *graph,
		 const uint64_t *counts);

#endif
