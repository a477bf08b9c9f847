/* How often each way from one basic block to another was taken: functions relocated
 * whole, counters of 8 bytes on as few blocks and edges as all counts follow from. */
#include "code/plan/request.h"
#include "collect/collect.h"

const struct collector collector_edges = {
	.name = "edges",
	.summary = "exact number of times that every branch went each way",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_EDGES,
	.edges = true,
	.slot_size = 8,
};
