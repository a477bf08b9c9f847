/* How often each function returned, and was left by a jump to another function; that it
 * was left otherwise (an exception, longjmp, the end of the thread) is what calls are
 * more. Each return and jump is a block of its own, of which the counters of edges tell
 * the count. */
#include "code/plan/plan_rows.h"
#include "collect/collect.h"
#include "session/profile/profile_writer.h"

/* Writes how often a function, or a cold part of one, was left in each way. */
static void save_returns(struct profile_writer *writer, const struct module_counts *from,
			 const struct plan_function *function,
			 const struct edges_counts *counts)
{
	const struct plan *plan = from->file->plan;
	const struct plan_function *whole = plan_whole_of(plan, function);
	uint64_t returned = 0, jumped = 0;

	for (uint32_t i = 0; counts->blocks && i < function->edge_count; i++) {
		const struct plan_edge *edge =
			&plan->edges.items[function->first_edge + i];

		if (edge->to != PLAN_EDGE_OUT)
			continue;
		if (edge->flags & PLAN_EDGE_RETURNS)
			returned += counts->blocks[edge->from];
		else if (!plan_crossing_of(plan, edge))
			jumped += edge->flags & PLAN_EDGE_JOINED ? 0 : counts->edges[i];
	}
	profile_writer_numbers(writer, from, whole,
			       (const struct profile_writer_number[]){
				       {"function.returned", returned},
				       {"function.tail_calls", jumped},
			       },
			       2);
}

static const struct collector_ops returns_ops = {.save_flow = save_returns};

const struct collector collector_returns = {
	.name = "returns",
	.summary = "how often every function returned, and was left otherwise",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_EDGES,
	.exits = true,
	.slot_size = 8,
	.ops = {&returns_ops},
};
