/*
 * Rows of a plan for counting calls by call site.
 */
#ifndef TRAMMEL_CODE_PLAN_CALL_SITES_H
#define TRAMMEL_CODE_PLAN_CALL_SITES_H

#include <stdint.h>

/*
 * Where calls are counted by call site, the first counters are those of gates,
 * PLAN_GATE_SLOTS for each of plan.functions: cells of two words (a return address, and
 * where in the bank the calls from that call site are counted; 0: nowhere yet); then the
 * number of calls from call sites for which there was no room, and an unused word. Some
 * bits of the return address choose its cell. Call graphs have no cells, but
 * PLAN_GRAPH_SLOTS counters that stand for the function, in which calls without room are
 * counted likewise; where calls are counted in both ways these are in front of all cells.
 */
enum {
	PLAN_CELLS = 16,
	PLAN_CELL_MASK =
		(PLAN_CELLS - 1) *
		16, /* of the return address: its cell, as bytes from the first */
	PLAN_GATE_SLOTS = PLAN_CELLS * 2 + 2,
	PLAN_GRAPH_SLOTS = 4,
	PLAN_GRAPH_CHILDREN = 32, /* children that a node of a call graph holds, by the
				     last bits of their functions' numbers */
	/* Counters of modules begin at multiples of this, so that a child has one index
	 * in a node for all modules, and the lowest bits of a name are free. */
	PLAN_GRAPH_ROW = PLAN_GRAPH_CHILDREN * PLAN_GRAPH_SLOTS,
};

/* A direct call, or a jump to another function, that is counted at a stub of its own: see
 * code/calls/gates.h. */
struct plan_arc {
	uint64_t site;   /* link-time address of the instruction, which has 5 bytes */
	uint32_t callee; /* index in plan.functions */
	uint16_t jump;   /* not 0: a jump */
	uint16_t led;    /* not 0: the original also leads to the stub */
};

/* A call through the procedure linkage table: its stub is behind those of arcs. With an
 * arc at its call site it counts if the table's word leads to the callee, and else goes
 * on to the table; without one, since the callee is another module's, it has an inline
 * cache (code/relocate/inline_cache.h). */
struct plan_link {
	uint64_t site; /* of the instruction, which has 5 bytes */
	uint64_t plt;  /* link-time address of the table's stub */
};

#endif
