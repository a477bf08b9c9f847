/* The graph of a function and its cold parts: those of each, put together. */
#include "annotate/graph.h"

#include "base/table.h"
#include "report/edges.h"

#include <string.h>

static void add_nodes(struct graph *graph, const struct annotation *annotation,
		      uint32_t part)
{
	for (size_t i = 0; i < annotation->blocks.count; i++) {
		const struct annotation_block *block = &annotation->blocks.items[i];

		vector_push(&graph->nodes,
			    ((struct graph_node){
				    .address = block->address,
				    .size = block->size,
				    .instructions = annotation->cfg.blocks.items[i].count,
				    .count = block->count,
				    .part = part}));
	}
}

static void add_routes(struct graph *graph, const struct routes *routes, uint32_t first)
{
	vector_for_each (routes, route) {
		struct route row = *route;

		row.from += row.from == ROUTE_OUTSIDE ? 0 : first;
		row.to += row.to == ROUTE_OUTSIDE ? 0 : first;
		vector_push(&graph->routes, row);
	}
}

/* Takes from a route to or from the outside what an edge is of it. It goes when nothing
 * is left of it, or when it is not known how much that is. */
static void take_edge(struct graph *graph, uint32_t from, uint32_t to,
		      const struct report_edge *edge)
{
	struct routes *routes = &graph->routes;

	for (size_t i = 0; i < routes->count; i++) {
		struct route *route = &routes->items[i];

		if (route->from != from || route->to != to || route->known == edge->open)
			continue;
		route->count -= edge->count < route->count ? edge->count : route->count;
		if (!route->count)
			memmove(route, route + 1, (--routes->count - i) * sizeof(*route));
		return;
	}
}

/* An edge from one part to another was told as one to the outside, and one from there. */
static void join_blocks(struct graph *graph, const struct table *numbers,
			const struct report_edge *edge)
{
	const struct graph_node *nodes = graph->nodes.items;
	uint64_t from, to;

	if (!table_find(numbers, edge->from, &from) ||
	    !table_find(numbers, edge->to, &to) || nodes[from].part == nodes[to].part)
		return;
	take_edge(graph, (uint32_t)from, ROUTE_OUTSIDE, edge);
	take_edge(graph, ROUTE_OUTSIDE, (uint32_t)to, edge);
	vector_push(&graph->routes,
		    ((struct route){(uint32_t)from, (uint32_t)to, edge->kind, !edge->open,
				    edge->count}));
}

static void join_parts(struct graph *graph, const struct annotation *annotation)
{
	struct table numbers = {0};
	size_t count;
	struct report_edge *edges =
		report_function_edges(annotation->profile, graph->function, &count);

	for (size_t i = 0; i < graph->nodes.count; i++)
		*table_insert(&numbers, graph->nodes.items[i].address, NULL) = i;
	for (size_t i = 0; i < count; i++)
		join_blocks(graph, &numbers, &edges[i]);
	table_deinit(&numbers);
	free(edges);
}

struct trm_error *graph_init(struct graph *graph, struct annotation *annotation)
{
	struct trm_error *error;
	uint32_t part = 0;

	*graph = (struct graph){.function = annotation->function,
				.module = annotation->module,
				.counted = annotation->counted};
	do {
		struct routes routes;

		error = routes_init(&routes, annotation);
		if (!error) {
			add_routes(graph, &routes, (uint32_t)graph->nodes.count);
			add_nodes(graph, annotation, part);
		}
		vector_deinit(&routes);
		if (error && !part)
			return error;
		trm_error_destroy(error);
	} while (++part && annotation_next(annotation));
	if (part > 1)
		join_parts(graph, annotation);
	return NULL;
}

void graph_deinit(struct graph *graph)
{
	vector_deinit(&graph->nodes);
	vector_deinit(&graph->routes);
}
