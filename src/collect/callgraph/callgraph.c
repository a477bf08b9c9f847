/* Which functions called which on the way to each call, how often, and for how long:
 * gates and probes at returns, see code/calls/gates.h and resident.S. */
#include "code/plan/request.h"
#include "collect/collect.h"

const struct collector collector_callgraph = {
	.name = "callgraph",
	.summary = "calls and time of every function in each of its contexts",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_CALLS,
	.graph = true,
	.slot_size = 8,
};
