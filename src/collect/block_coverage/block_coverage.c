/* Which basic blocks ran: functions relocated whole, a flag of one byte, set and never
 * read, in as many blocks as tell of all. */
#include "collect/collect.h"

const struct collector collector_block_coverage = {
	.name = "block-coverage",
	.summary = "which basic blocks were executed",
	.probe = PLAN_PROBE_FLAG,
	.depth = PLAN_BLOCKS,
	.slot_size = 1,
};
