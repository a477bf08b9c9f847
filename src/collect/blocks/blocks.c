/* How often each basic block was executed: counters as for edges, of which it follows
 * with fewer increments than by a counter in each block. */
#include "code/plan/request.h"
#include "collect/collect.h"

const struct collector collector_blocks = {
	.name = "blocks",
	.summary = "exact number of executions of every basic block",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_EDGES,
	.slot_size = 8,
};
