/*
 * Counts of the edges of functions relocated whole: which edges and blocks of a plan's
 * function get counters, and what all others follow from. A block is two nodes of the
 * flow graph (flow/flow.h), in front of its counter and behind it, so that counters on
 * blocks and on edges are alike:
 *
 *     outside -> block 0        the calls of the function
 *     outside -> block          what leads there beside the function's edges (landing
 *                               pads, jumps from other functions): cannot be counted
 *     in -> out of a block      its counter
 *     block -> block            its edges
 *     block -> outside          returns; and for blocks with calls, what does not come
 *                               back. What comes back more often than it went (setjmp,
 *                               fork in the child) is less than nothing
 */
#ifndef TRAMMEL_CODE_COUNT_EDGES_H
#define TRAMMEL_CODE_COUNT_EDGES_H

#include "code/plan/plan.h"
#include "flow/flow.h"

/* The edges of the graph of a function with B blocks and E edges: first the way in, then
 * the blocks, then the edges, then others. */
enum { EDGES_ENTRY = 0, EDGES_BLOCKS = 1 };

static inline uint32_t edges_node_in(uint32_t block)
{
	return 1 + 2 * block;
}

static inline uint32_t edges_node_out(uint32_t block)
{
	return 2 + 2 * block;
}

/*
 * Makes the graph of a function of a plan, that has plan_function.edge_count. Weights are
 * 0. The caller frees ret_graph->edges.
 */
void edges_graph(const struct plan *plan, const struct plan_function *function,
		 struct flow_graph *ret_graph);

/* By edge of such a graph: the slot of its counter, PLAN_NO_SLOT or another number from
 * plan.slot_count on if it has none. The caller frees it. */
uint32_t *edges_list_slots(const struct plan *plan, const struct plan_function *function,
			   const struct flow_graph *graph);

/* A thread that left a function in the middle of a block, or came into it there, not by a
 * call: a handler jumped away, or the process ended. */
struct edges_residue {
	uint64_t address; /* link-time, of the instruction that it did not execute, or
			     that it went on with */
	int by;           /* 1: it left; -1: it came; or a sum of such */
	bool counts;      /* it runs the probes in front of that instruction */
};
struct edges_residues VECTOR(struct edges_residue);

/* The block of a function that a residue is in, and whether its counter lies in front of
 * that place; false if it is not in the function. */
bool edges_find_residue(const struct plan *plan, const struct plan_function *function,
			const struct edges_residue *residue, uint32_t *ret_block,
			bool *ret_counted);

/* Whether a place is in a block that is counted at the stub of its call, and the thread
 * that stands there in the original text has that before it. */
bool edges_is_before_stub(const struct plan *plan, const struct plan_function *function,
			  uint64_t address);

/* What follows from the counters of one function. */
struct edges_counts {
	uint64_t calls;   /* how often its start was entered from outside */
	uint64_t *blocks; /* by block: how often it was entered. The other arrays are
			     behind it */
	int64_t *stayed; /* by block: how often it was entered less how often it was left;
			    0 where an edge from it has no count */
	uint64_t *edges; /* by edge; of those with PLAN_EDGE_JOINED 0 */
};

/*
 * Finds all counts of a function by the counters of all slots. `residues` are those of
 * the module, of which others than the function's are passed over; NULL: none. The caller
 * deinits the result. False if no flow has these counters: then `ret_fault` is the block
 * where that is seen, and the result is empty.
 */
bool edges_solve(const struct plan *plan, const struct plan_function *function,
		 const uint64_t *counters, const struct edges_residues *residues,
		 struct edges_counts *ret_counts, uint32_t *ret_fault);
void edges_counts_deinit(struct edges_counts *counts);

/* Whether a counter of a function is on an edge from one block to the next one in the
 * code, so that its probe is passed by nothing else. */
bool edges_is_fall(const struct plan *plan, const struct plan_function *function,
		   uint32_t slot);

#endif
