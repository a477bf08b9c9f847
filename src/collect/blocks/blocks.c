/* How often each basic block was executed: functions relocated whole, a counter of 8
 * bytes in every block. */
#include "collect/collect.h"

const struct collector collector_blocks = {
	.name = "blocks",
	.summary = "exact number of executions of every basic block",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_BLOCKS,
	.slot_size = 8,
};
