/* How often each way from one basic block to another was taken: functions relocated
 * whole, counters of 8 bytes on as few blocks and edges as all counts follow from. */
#include "code/plan/plan_rows.h"
#include "collect/collect.h"
#include "session/profile/profile_writer.h"

/* The target of an edge from a function into another part of it; 0 if it leads elsewhere.
 */
static uint64_t crosses_to(const struct plan *plan, const struct plan_function *function,
			   const struct plan_edge *edge)
{
	const struct plan_crossing *crossing = plan_crossing_of(plan, edge);
	uint64_t to;

	if (!crossing)
		return 0;
	to = function->address + (uint64_t)(int64_t)crossing->distance;
	return profile_writer_is_told(plan, plan_function_at(plan, to)) ? to : 0;
}

/* One of an edge that has no count says just that. */
static void save_edge(struct profile_writer *writer, const struct module_counts *of,
		      record_node node, const struct plan_function *function,
		      const struct plan_edge *edge, uint64_t count)
{
	static const struct record_value kinds[] = {
		[CFG_EDGE_TAKEN] = {RECORD_STRING, 4, .bytes = "jump"},
		[CFG_EDGE_FALL] = {RECORD_STRING, 4, .bytes = "next"},
		[CFG_EDGE_SWITCH] = {RECORD_STRING, 6, .bytes = "switch"},
		[CFG_EDGE_RETURN] = {RECORD_STRING, 5, .bytes = "leave"},
	};
	const struct names *n = &writer->names;
	const struct plan *plan = of->file->plan;
	const struct plan_block *blocks = &plan->blocks.items[function->first_block];
	uint64_t from = function->address + blocks[edge->from].offset;
	uint64_t at = from + blocks[edge->from].size - edge->size;
	uint64_t to = edge->to == PLAN_EDGE_OUT
			      ? crosses_to(plan, function, edge)
			      : function->address + blocks[edge->to].offset;
	struct record_pair pairs[7 + PROFILE_WRITER_MORE];
	size_t pair = 5;

	saving_set_number(&pairs[0], n->offset, RECORD_ADDRESS,
			  plan_whole_of(plan, function)->address);
	saving_set_number(&pairs[1], n->image, RECORD_UINT, of->image->number);
	saving_set_number(&pairs[2], n->edge, RECORD_ADDRESS, at);
	saving_set_number(&pairs[3], n->edge_from, RECORD_ADDRESS, from);
	pairs[4].attribute = n->edge_kind;
	pairs[4].value = kinds[edge->kind];
	if (to)
		saving_set_number(&pairs[pair++], n->edge_to, RECORD_ADDRESS, to);
	if (!(edge->flags & PLAN_EDGE_JOINED))
		saving_set_number(&pairs[pair++], n->count, RECORD_UINT, count);
	profile_writer_write(writer, node, pairs, pair);
}

/* All ways from a block that was executed, if there are several; of others those that
 * were taken. That a block with calls returned, too, is no way. */
static void save_edges(struct profile_writer *writer, const struct module_counts *from,
		       const struct plan_function *function,
		       const struct edges_counts *counts)
{
	const struct plan *plan = from->file->plan;
	const struct plan_edge *edges = &plan->edges.items[function->first_edge];
	record_node node;

	if (!counts->edges)
		return;
	node = profile_writer_function_node(writer, from->file,
					    plan_whole_of(plan, function));

	for (uint32_t i = 0; i < function->edge_count; i++) {
		bool several = (i && edges[i - 1].from == edges[i].from) ||
			       (i + 1 < function->edge_count &&
				edges[i + 1].from == edges[i].from);
		bool joined = edges[i].flags & PLAN_EDGE_JOINED &&
			      (edges[i].to != PLAN_EDGE_OUT ||
			       crosses_to(plan, function, &edges[i]));

		if (counts->edges[i] ||
		    (counts->blocks[edges[i].from] && (several || joined)))
			save_edge(writer, from, node, function, &edges[i],
				  counts->edges[i]);
	}
}

const struct collector_ops collector_edges_ops = {.save_flow = save_edges};

const struct collector collector_edges = {
	.name = "edges",
	.summary = "exact number of times that every branch went each way",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_EDGES,
	.slot_size = 8,
	.ops = {&collector_edges_ops},
};
