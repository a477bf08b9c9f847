/* Which basic blocks ran: flags in as many blocks as tell of all others. They are set
 * more often than counters on edges would count, but not for long: see
 * session/adapt/fired.h.
 */
#include "code/plan/request.h"
#include "collect/collect.h"

const struct collector collector_block_coverage = {
	.name = "block-coverage",
	.summary = "which basic blocks were executed",
	.probe = PLAN_PROBE_FLAG,
	.depth = PLAN_BLOCKS,
	.covers = true,
	.slot_size = 1,
};
