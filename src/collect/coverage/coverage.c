/* Which functions ran: a flag of one byte at every entry, set and never read. */
#include "collect/collect.h"

const struct collector collector_coverage = {
	.name = "coverage",
	.summary = "which functions were executed",
	.probe = PLAN_PROBE_FLAG,
	.covers = true,
	.slot_size = 1,
};
