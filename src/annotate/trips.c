#include "annotate/trips.h"

#include "base/cleanup.h"
#include "flow/loops.h"
#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/head.h"

#include <inttypes.h>

/* Node 0 is outside, block n is node n + 1. Blocks that only something beside the
 * function's own branches leads to are not reached: a landing pad in a loop would seem to
 * be another entry of it. */
static uint32_t node_of(uint32_t block)
{
	return block == ROUTE_OUTSIDE ? 0 : block + 1;
}

static void make_graph(struct flow_graph *graph, const struct annotation *annotation,
		       const struct routes *routes)
{
	*graph = (struct flow_graph){
		.edges = memory_allocate_zeroed(routes->count, sizeof(*graph->edges)),
		.edge_count = (uint32_t)routes->count,
		.node_count = (uint32_t)annotation->blocks.count + 1,
	};
	for (uint32_t i = 0; i < graph->edge_count; i++)
		graph->edges[i] = (struct flow_edge){
			.from = node_of(routes->items[i].from),
			.to = node_of(routes->items[i].to),
		};
}

/* What leads to a loop's header, from outside (or inside) of the loop. */
struct ways {
	bool known;
	uint64_t sum;
};

static struct ways add_ways(const struct loops *loops, const struct routes *routes,
			    uint32_t header, bool back)
{
	struct ways ways = {.known = true};

	for (uint32_t i = 0; i < routes->count; i++) {
		const struct route *route = &routes->items[i];

		if (route->to != header || bit_test(loops->back, i) != back)
			continue;
		ways.known &= route->known;
		ways.sum += route->count;
	}
	return ways;
}

/* What enters the header and does not come back to it comes from outside. */
static void count_entries(struct trip *trip, const struct loops *loops,
			  const struct annotation *annotation,
			  const struct routes *routes)
{
	struct ways back = add_ways(loops, routes, trip->header, true);
	struct ways in = add_ways(loops, routes, trip->header, false);
	bool exposed = trip->header && annotation->cfg.blocks.items[trip->header].exposed;

	if (back.known && back.sum <= trip->iterations) {
		trip->known = true;
		trip->entries = trip->iterations - back.sum;
	} else if (in.known && !exposed && in.sum <= trip->iterations) {
		trip->known = true;
		trip->entries = in.sum;
	}
}

static void add_bodies(struct trips *trips, const struct loops *loops,
		       const struct annotation *annotation)
{
	trips->innermost = memory_allocate((annotation->blocks.count + 1) *
					   sizeof(*trips->innermost));
	for (uint32_t i = 0; i < annotation->blocks.count; i++) {
		uint64_t instructions = annotation->blocks.items[i].count *
					annotation->cfg.blocks.items[i].count;
		uint32_t index = loops->innermost[node_of(i)];

		trips->innermost[i] = index == GRAPH_NONE ? TRIP_NONE : index;
		while (index != GRAPH_NONE) {
			trips->loops.items[index].instructions += instructions;
			trips->loops.items[index].blocks++;
			index = loops->loops.items[index].parent;
		}
	}
}

void trips_init(struct trips *trips, const struct annotation *annotation,
		const struct routes *routes)
{
	struct flow_graph graph;
	struct loops loops;

	make_graph(&graph, annotation, routes);
	loops_init(&loops, &graph);
	*trips = (struct trips){.irregular = loops.irregular};
	vector_for_each (&loops.loops, loop) {
		struct trip trip = {
			.header = loop->header - 1,
			.parent = loop->parent,
			.depth = loop->depth,
			.iterations = annotation->blocks.items[loop->header - 1].count,
		};

		if (annotation->counted)
			count_entries(&trip, &loops, annotation, routes);
		vector_push(&trips->loops, trip);
	}
	add_bodies(trips, &loops, annotation);
	loops_deinit(&loops);
	free(graph.edges);
}

void trips_deinit(struct trips *trips)
{
	vector_deinit(&trips->loops);
	free(trips->innermost);
}

void trips_describe(const struct trip *trip, const struct annotation *annotation,
		    struct text *out)
{
	if (trip->known) {
		report_add_count(out, trip->entries, "entry", "entries");
		text_add(out, ", ");
	}
	report_add_count(out, trip->iterations, "iteration", "iterations");
	if (trip->known && trip->entries)
		text_format(out, " (%.1f each)",
			    (double)trip->iterations / (double)trip->entries);
	if (annotation->function->instructions)
		text_format(out, ", %.1f %%",
			    100.0 * (double)trip->instructions /
				    (double)annotation->function->instructions);
}

void trips_add_json(const struct trips *trips, const struct trip *trip,
		    const struct annotation *annotation, struct text *out)
{
	const struct annotation_block *blocks = annotation->blocks.items;

	json_add_address(out, "header", blocks[trip->header].address);
	if (trip->parent != TRIP_NONE) {
		json_add_address(out, "parent",
				 blocks[trips->loops.items[trip->parent].header].address);
	}
	json_add_number(out, "depth", trip->depth);
	json_add_number(out, "blocks", trip->blocks);
	if (trip->known)
		json_add_number(out, "entries", trip->entries);
	json_add_number(out, "iterations", trip->iterations);
	json_add_number(out, "instructions", trip->instructions);
}
