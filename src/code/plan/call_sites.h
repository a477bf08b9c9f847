/*
 * Counters of calls by their sites: rows of a plan.
 */
#ifndef TRAMMEL_CODE_PLAN_CALL_SITES_H
#define TRAMMEL_CODE_PLAN_CALL_SITES_H

#include <stdint.h>

/*
 * Where calls are counted by their sites, the first counters are those of gates, so many
 * for each of plan.functions: cells of two words, a return address and where in the bank
 * calls of the function by the call that returns there are counted (0: nowhere yet); then
 * how often it was called from sites for which there was no room, and nothing. Some bits
 * of the return address tell which cell it may have. In call graphs there are no cells,
 * but a place that stands for the function, and counts in the same way what has no room;
 * where calls are counted in both ways these places are in front of all cells.
 */
enum {
	PLAN_CELLS = 16,
	PLAN_CELL_MASK = (PLAN_CELLS - 1) * 16, /* in the return address: bytes from the
						   first cell */
	PLAN_GATE_SLOTS = PLAN_CELLS * 2 + 2,
	PLAN_GRAPH_SLOTS = 4,
	PLAN_GRAPH_CHILDREN = 32, /* that a node of a call graph knows, by the last bits
				    of their functions' numbers */
	/* Counters of modules begin at multiples of these, so that a node has one place
	 * for a child in all of them, and the lowest bits of a name are free. */
	PLAN_GRAPH_ROW = PLAN_GRAPH_CHILDREN * PLAN_GRAPH_SLOTS,
};

/* A direct call, or a jump to another function, that is counted at its own stub: see
 * code/calls/gates.h. */
struct plan_arc {
	uint64_t site;   /* link-time address of the instruction, which has 5 bytes */
	uint32_t callee; /* index in plan.functions */
	uint16_t jump;   /* not 0: a jump */
	uint16_t led;    /* not 0: it leads to the stub from its own place, too */
};

/* A call through the procedure linkage table: its own stub is behind those of arcs. If
 * there is an arc at its site it counts if the table's word leads to the callee, and else
 * goes on to the table; if there is none, as the callee is another module's, it has an
 * inline cache (code/relocate/inline_cache.h). */
struct plan_link {
	uint64_t site; /* of the instruction, which has 5 bytes */
	uint64_t plt;  /* link-time address that it leads to */
};

#endif
