/*
 * Loops of a function. A natural loop has a header, which dominates all of it, and edges
 * back to the header; loops that share a header are one. Two loops are disjoint or
 * nested.
 *
 * Sources: Aho, Lam, Sethi, Ullman, Compilers, section 9.6 (natural loops); Tarjan,
 * Testing flow graph reducibility, JCSS 9 (1974), and Havlak, Nesting of reducible and
 * irreducible loops, ACM TOPLAS 19 (1997): inner loops first, each then contracted to one
 * node. O(E log V), without recursion.
 */
#ifndef TRAMMEL_FLOW_LOOPS_H
#define TRAMMEL_FLOW_LOOPS_H

#include "flow/graph.h"

#include "base/vector.h"

struct loop {
	uint32_t header; /* node */
	uint32_t parent; /* the loop around it; GRAPH_NONE: outermost */
	uint32_t depth;  /* number of loops around it, itself included: 1 or more */
};

struct loops {
	struct VECTOR(struct loop) loops; /* outer loops before inner ones */
	uint32_t *innermost;              /* by node: the innermost loop; or GRAPH_NONE */
	uint64_t *back;                   /* bitmap by edge: a back edge to a header */
	uint32_t irregular; /* edges that close a cycle which is no natural loop: it has
			       several entries and no trip count */
};

/* Finds the loops of `graph`. Node 0 is outside of all loops: edges to it are ignored,
 * and so are unreachable nodes. */
void loops_init(struct loops *ret_loops, const struct flow_graph *graph);
void loops_deinit(struct loops *loops);

#endif
