/* How often each call site called each function: counters in front of calls, stubs and
 * gates, see code/calls/gates.h. */
#include "code/plan/request.h"
#include "collect/collect.h"
#include "wire/graph.h"
#include "wire/layout.h"

static const struct collector_ops calls_ops = {
	.bank_bytes = WIRE_ARCS_USED + sizeof(struct wire_arcs),
};

const struct collector collector_calls = {
	.name = "calls",
	.summary = "exact number of calls of every function from every place",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_CALLS,
	.calls = true,
	.slot_size = 8,
	.ops = {&calls_ops},
};
