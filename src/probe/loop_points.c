#include "probe/loop_points.h"

#include "base/bits.h"
#include "code/relocate/cfg.h"
#include "flow/loops.h"

#include <stdlib.h>

/* Nodes of the graph: 0 is outside of the function, block n is n + 1. */
static uint32_t node_of(uint32_t block)
{
	return block == CFG_OUT ? 0 : block + 1;
}

struct finding {
	const struct cfg *cfg;
	const struct loops *loops;
	bool (*leaves)(void *context, uint32_t instruction);
	void *context;
	struct probe_loop_points *points;
};

static void make_graph(const struct cfg *cfg, struct flow_graph *graph)
{
	const uint32_t blocks = (uint32_t)cfg->blocks.count;
	struct flow_edge *edge;

	*graph = (struct flow_graph){
		.edges = memory_allocate_zeroed(1 + 2 * blocks + cfg->edges.count,
						sizeof(*graph->edges)),
		.node_count = 1 + blocks,
	};
	edge = graph->edges;
	vector_for_each (&cfg->edges, row)
		*edge++ = (struct flow_edge){.from = node_of(row->from),
					     .to = node_of(row->to)};
	*edge++ = (struct flow_edge){.from = 0, .to = node_of(0)};
	for (uint32_t i = 0; i < blocks; i++)
		if (cfg->blocks.items[i].exposed)
			*edge++ = (struct flow_edge){.from = 0, .to = node_of(i)};
	graph->edge_count = (uint32_t)(edge - graph->edges);
}

static bool is_in(const struct loops *loops, uint32_t loop, uint32_t node)
{
	uint32_t at = node ? loops->innermost[node] : GRAPH_NONE;

	while (at != GRAPH_NONE && at != loop)
		at = loops->loops.items[at].parent;
	return at == loop;
}

static void add_place(const struct finding *finding, uint32_t loop, uint32_t at,
		      enum point_where where, enum probe_loop_step step)
{
	const struct cfg *cfg = finding->cfg;
	const uint32_t block = finding->loops->loops.items[loop].header - 1;
	const uint32_t first = cfg->blocks.items[block].first;

	vector_push(finding->points,
		    ((struct probe_loop_point){
			    .at = at,
			    .where = where,
			    .step = step,
			    .loop = (uint8_t)loop,
			    .header = cfg->instructions.items[first].offset}));
}

static uint32_t last_of(const struct cfg_block *block)
{
	return block->first + block->count - 1;
}

/* Edges that lead out by a jump alone have no place of their own: the jump has. */
static void find_edges(const struct finding *finding, uint32_t loop)
{
	const uint32_t header = finding->loops->loops.items[loop].header;
	const struct cfg *cfg = finding->cfg;

	for (uint32_t i = 0; i < cfg->edges.count; i++) {
		const struct cfg_edge *edge = &cfg->edges.items[i];
		const bool from = is_in(finding->loops, loop, node_of(edge->from));

		if (node_of(edge->to) == header)
			add_place(finding, loop, i, POINT_EDGE,
				  from ? PROBE_LOOP_AGAIN : PROBE_LOOP_ENTER);
		else if (from && !is_in(finding->loops, loop, node_of(edge->to)) &&
			 !finding->leaves(finding->context,
					  last_of(&cfg->blocks.items[edge->from])))
			add_place(finding, loop, i, POINT_EDGE, PROBE_LOOP_LEAVE);
	}
}

/* Returns and jumps to other functions in a loop. */
static void find_ends(const struct finding *finding, uint32_t loop)
{
	const struct cfg *cfg = finding->cfg;

	for (uint32_t i = 0; i < cfg->blocks.count; i++) {
		const uint32_t last = last_of(&cfg->blocks.items[i]);

		if (is_in(finding->loops, loop, node_of(i)) &&
		    finding->leaves(finding->context, last))
			add_place(finding, loop, last, POINT_BEFORE, PROBE_LOOP_LEAVE);
	}
}

static void find_places(const struct finding *finding, uint32_t loop, bool is_part)
{
	const uint32_t block = finding->loops->loops.items[loop].header - 1;

	/* Who comes there is not seen. */
	if (block && finding->cfg->blocks.items[block].exposed)
		return;
	if (!block && !is_part)
		add_place(finding, loop, 0, POINT_ENTRY, PROBE_LOOP_ENTER);
	find_edges(finding, loop);
	find_ends(finding, loop);
}

void probe_loop_points_find(const struct point_function *function,
			    bool (*leaves)(void *context, uint32_t instruction),
			    void *context, struct probe_loop_points *ret_points)
{
	struct flow_graph graph;
	struct loops loops;
	struct finding finding = {function->cfg, &loops, leaves, context, ret_points};

	make_graph(function->cfg, &graph);
	loops_init(&loops, &graph);
	for (uint32_t i = (uint32_t)loops.loops.count; i-- > 0;)
		if (i < PROBE_LOOPS_MAX)
			find_places(&finding, i, function->is_part);
	loops_deinit(&loops);
	free(graph.edges);
}
