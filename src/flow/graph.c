#include "flow/graph.h"

#include "base/vector.h"

static uint32_t end_of(const struct flow_edge *edge, bool incoming)
{
	return incoming ? edge->to : edge->from;
}

static void list_edges(const struct flow_graph *graph, bool incoming,
		       struct graph_lists *ret_lists)
{
	uint32_t *starts =
		memory_allocate_zeroed((size_t)graph->node_count + 2, sizeof(*starts));
	uint32_t *edges =
		memory_allocate(((size_t)graph->edge_count + 1) * sizeof(*edges));

	/* While the lists are filled, the start of node n is at n + 1. */
	for (uint32_t i = 0; i < graph->edge_count; i++)
		starts[end_of(&graph->edges[i], incoming) + 2]++;
	for (size_t i = 2; i <= graph->node_count; i++)
		starts[i] += starts[i - 1];
	for (uint32_t i = 0; i < graph->edge_count; i++)
		edges[starts[end_of(&graph->edges[i], incoming) + 1]++] = i;
	*ret_lists = (struct graph_lists){.starts = starts, .edges = edges};
}

void graph_list_outgoing(const struct flow_graph *graph, struct graph_lists *ret_lists)
{
	list_edges(graph, false, ret_lists);
}

void graph_list_incoming(const struct flow_graph *graph, struct graph_lists *ret_lists)
{
	list_edges(graph, true, ret_lists);
}

void graph_lists_deinit(struct graph_lists *lists)
{
	free(lists->starts);
	free(lists->edges);
	*lists = (struct graph_lists){0};
}

uint32_t *graph_sets_create(uint32_t node_count)
{
	uint32_t *sets = memory_allocate((size_t)node_count * sizeof(*sets));

	for (uint32_t i = 0; i < node_count; i++)
		sets[i] = i;
	return sets;
}
