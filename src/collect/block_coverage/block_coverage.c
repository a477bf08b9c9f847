/* Which basic blocks ran: counters as for blocks, of which nothing is kept but that they
 * are not 0. A flag in as many blocks as tell of all would be set more often than these
 * count, as soon as it is known which blocks run often: a loop with two ways through it
 * sets one of two flags each time, and counts on the rarer way alone. */
#include "collect/collect.h"

const struct collector collector_block_coverage = {
	.name = "block-coverage",
	.summary = "which basic blocks were executed",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_EDGES,
	.covers = true,
	.slot_size = 8,
};
