/* Which functions called which on the way to each call, how often, and for how long:
 * gates and probes at returns, see code/calls/gates.h and resident.S. */
#include "collect/callgraph/cost.h"
#include "collect/callgraph/save.h"
#include "collect/callgraph/tree.h"
#include "collect/collect.h"
#include "session/position/callgraph_bank.h"
#include "wire/graph.h"
#include "wire/layout.h"

static const struct collector_ops callgraph_ops = {
	.bank_bytes = WIRE_GRAPH_BASE + sizeof(struct wire_graph),
	.begin_bank = callgraph_begin,
	.begin_within = callgraph_begin_within,
	.note_calls = callgraph_note_calls,
	.look = callgraph_look,
	.give_back = callgraph_give_back,
	.copy = callgraph_copy,
	.take = callgraph_take,
	.merge = callgraph_merge,
	.forget = callgraph_forget,
	.save_begin = callgraph_find_costs,
	.save_image = callgraph_save,
};

const struct collector collector_callgraph = {
	.name = "callgraph",
	.summary = "calls and time of every function in each of its contexts",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_CALLS,
	.graph = true,
	.slot_size = 8,
	.ops = {&callgraph_ops},
};
