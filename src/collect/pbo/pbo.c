/* What compilers optimise by: counts of branches and blocks, from which the rest follows.
 */
#include "code/plan/request.h"
#include "collect/collect.h"

const struct collector collector_pbo = {
	.name = "pbo",
	.summary = "a profile for compilers, written beside: see 'trammel help pbo'",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_EDGES,
	.pbo = true,
	.slot_size = 8,
	.ops = {&collector_edges_ops},
};
