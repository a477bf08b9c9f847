/*
 * Weights of counters. A flow is a sum of cycles, each of which has edges with counters.
 * With potentials of the nodes that make the cost of every edge without a counter 0, the
 * costs of the other edges are those of their cycles: reduced costs, as of any minimum-
 * cost flow (Ahuja, Magnanti, Orlin, Network Flows, 1993, 2.4).
 */
#include "code/count/edges_weigh.h"

#include "base/cleanup.h"
#include "base/vector.h"
#include "code/count/edges.h"
#include "flow/graph.h"

struct weighing {
	const struct flow_graph *graph;
	const uint32_t *slots; /* see edges_list_slots */
	uint32_t slot_count;
	struct graph_lists outgoing, incoming;
	const struct plan_block *blocks;
	uint32_t block_count;
	int64_t *potentials; /* by node */
	bool *known;         /* whether they are */
	uint32_t *open, open_count;
};

static int64_t cost_of(const struct weighing *weighing, uint32_t edge)
{
	uint32_t block = edge - EDGES_BLOCKS;

	return block < weighing->block_count ? weighing->blocks[block].instructions : 0;
}

static bool is_counted(const struct weighing *weighing, uint32_t edge)
{
	return weighing->slots[edge] < weighing->slot_count;
}

static void set_potential(struct weighing *weighing, uint32_t node, int64_t potential)
{
	if (weighing->known[node])
		return;
	weighing->known[node] = true;
	weighing->potentials[node] = potential;
	weighing->open[weighing->open_count++] = node;
}

/* Along all edges without counters, which form no cycle, from a node. */
static void spread_weights(struct weighing *weighing, uint32_t start)
{
	set_potential(weighing, start, 0);
	while (weighing->open_count) {
		uint32_t node = weighing->open[--weighing->open_count];
		int64_t here = weighing->potentials[node];

		graph_for_each (&weighing->outgoing, node, edge)
			if (!is_counted(weighing, edge))
				set_potential(weighing, weighing->graph->edges[edge].to,
					      here + cost_of(weighing, edge));
		graph_for_each (&weighing->incoming, node, other)
			if (!is_counted(weighing, other))
				set_potential(weighing,
					      weighing->graph->edges[other].from,
					      here - cost_of(weighing, other));
	}
}

void edges_weigh(const struct plan *plan, const struct plan_function *function,
		 int64_t *weights)
{
	struct flow_graph graph;

	edges_graph(plan, function, &graph);
	scoped_free uint32_t *slots = edges_list_slots(plan, function, &graph);
	scoped_free int64_t *potentials =
		memory_allocate(graph.node_count * sizeof(*potentials));
	scoped_free bool *known =
		memory_allocate_zeroed(graph.node_count, sizeof(*known));
	scoped_free uint32_t *open = memory_allocate(graph.node_count * sizeof(*open));
	struct weighing weighing = {
		.graph = &graph,
		.slots = slots,
		.slot_count = plan->slot_count,
		.blocks = &plan->blocks.items[function->first_block],
		.block_count = function->block_count,
		.potentials = potentials,
		.known = known,
		.open = open,
	};

	graph_list_outgoing(&graph, &weighing.outgoing);
	graph_list_incoming(&graph, &weighing.incoming);
	for (uint32_t i = 0; i < graph.node_count; i++)
		spread_weights(&weighing, i);
	for (uint32_t i = 0; i < graph.edge_count; i++)
		if (is_counted(&weighing, i))
			weights[slots[i]] += cost_of(&weighing, i) +
					     potentials[graph.edges[i].from] -
					     potentials[graph.edges[i].to];
	graph_lists_deinit(&weighing.outgoing);
	graph_lists_deinit(&weighing.incoming);
	free(graph.edges);
}
