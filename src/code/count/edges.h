/*
 * Counts of the edges of functions relocated whole: which edges and blocks of a plan's
 * function get counters, and how all other counts follow. A block is two nodes of the
 * flow graph (flow/flow.h), before and behind its counter, so that counters on blocks and
 * on edges are alike:
 *
 *     outside -> block 0        calls of the function
 *     outside -> block          other entries (landing pads, jumps from other functions):
 *                               cannot be counted
 *     in -> out of a block      its counter
 *     block -> block            its edges
 *     block -> outside          returns; and for blocks with calls, calls that do not
 *                               come back: negative if more come back than went (setjmp,
 *                               fork in the child)
 */
#ifndef TRAMMEL_CODE_COUNT_EDGES_H
#define TRAMMEL_CODE_COUNT_EDGES_H

#include "code/plan/plan.h"
#include "flow/flow.h"

/* Order of the edges in the graph of a function with B blocks and E edges: the entry, the
 * blocks, the edges, then others. */
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
 * Builds the graph of a function of a plan that has plan_function.edge_count. Weights are
 * 0. The caller frees ret_graph->edges.
 */
void edges_graph(const struct plan *plan, const struct plan_function *function,
		 struct flow_graph *ret_graph);

/* Lists by edge of such a graph the slot of its counter; PLAN_NO_SLOT or another number
 * not below plan.slot_count if it has none. The caller frees it. */
uint32_t *edges_list_slots(const struct plan *plan, const struct plan_function *function,
			   const struct flow_graph *graph);

/* A thread that left a function in the middle of a block, or came into it there, other
 * than by a call: a handler jumped away, or the process ended. */
struct edges_residue {
	uint64_t address; /* link-time, of the first instruction that it did not execute,
			     or with which it continued */
	int64_t by;       /* threads that left, less those that came: 1, -1, or a sum */
	bool counts;      /* it runs the probes in front of that instruction */
	bool path; /* of paths instead: `address` is that of the block to which one came
		    */
	uint32_t sum; /* and this its running sum: code/count/path_counts.h */
};
struct edges_residues VECTOR(struct edges_residue);

/* Finds the block of a function that contains a residue, and whether the block's counter
 * lies before that address; false if it is not in the function. */
bool edges_find_residue(const struct plan *plan, const struct plan_function *function,
			const struct edges_residue *residue, uint32_t *ret_block,
			bool *ret_counted);

/* Whether an address is in a block that is counted at the stub of its call, in front of
 * that call, so that a thread there in the original text is not counted yet. */
bool edges_is_before_stub(const struct plan *plan, const struct plan_function *function,
			  uint64_t address);

/* Counts of one function. */
struct edges_counts {
	uint64_t calls;   /* number of entries from outside */
	uint64_t *blocks; /* by block: number of entries. The other arrays are in the same
			     allocation */
	int64_t *stayed;  /* by block: entries minus exits; 0 if an edge from it has no
			     count */
	uint64_t *edges;  /* by edge; 0 for edges with PLAN_EDGE_JOINED */
};

/*
 * Computes all counts of a function from the counters of all slots. `residues` are those
 * of the module; other functions' are skipped; NULL: none. The caller deinits the result.
 * False if no flow has these counters: `ret_fault` is then the block where that was
 * noticed, and the result is empty.
 */
bool edges_solve(const struct plan *plan, const struct plan_function *function,
		 const uint64_t *counters, const struct edges_residues *residues,
		 struct edges_counts *ret_counts, uint32_t *ret_fault);
void edges_counts_deinit(struct edges_counts *counts);

/* Whether a counter of a function is on a fall-through edge, so that only that edge
 * passes its probe. */
bool edges_is_fall(const struct plan *plan, const struct plan_function *function,
		   uint32_t slot);

#endif
