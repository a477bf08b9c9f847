#include "code/relocate/dominator_coverage.h"

#include "base/cleanup.h"
#include "flow/dominators.h"

enum { OUTSIDE = 0 }; /* the node in front of all that is entered; a block's is next */

static uint32_t node_of(uint32_t block)
{
	return block + 1;
}

static void add_edge(struct flow_graph *graph, uint32_t from, uint32_t to)
{
	graph->edges[graph->edge_count++] = (struct flow_edge){.from = from, .to = to};
}

/* Builds the graph of possible flow between blocks. */
static void make_graph(const struct cfg *cfg, bool in_parts, struct flow_graph *graph)
{
	for (uint32_t b = 0; b < cfg->blocks.count; b++) {
		const struct cfg_block *row = &cfg->blocks.items[b];
		const struct cfg_edge *edges = cfg->edges.items + row->first_edge;
		const bool stays = cfg_may_stay(cfg, b);

		if (!b || row->exposed)
			add_edge(graph, OUTSIDE, node_of(b));
		for (uint32_t i = 0; i < row->edge_count; i++) {
			bool apart = stays || (in_parts && edges[i].to <= b);

			if (edges[i].to != CFG_OUT)
				add_edge(graph, apart ? OUTSIDE : node_of(b),
					 node_of(edges[i].to));
		}
	}
}

/* Whether a block was executed if, and only if, one of its successors was. */
static bool is_told(const struct cfg *cfg, const struct dominators *dominators,
		    uint32_t block)
{
	const struct cfg_block *row = &cfg->blocks.items[block];

	if (!block || !row->edge_count || row->edge_count > BLOCK_SUMS_TERMS_MAX ||
	    dominators->numbers[node_of(block)] == GRAPH_NONE || cfg_may_stay(cfg, block))
		return false;
	for (uint32_t i = 0; i < row->edge_count; i++) {
		uint32_t to = cfg->edges.items[row->first_edge + i].to;

		if (to == CFG_OUT || to == block ||
		    !dominators_is_above(dominators, node_of(block), node_of(to)))
			return false;
	}
	return true;
}

static void tell_block(struct block_sums *sums, const struct cfg *cfg, uint32_t block)
{
	const struct cfg_block *row = &cfg->blocks.items[block];
	struct block_sum *sum = &sums->blocks.items[block];
	uint32_t depth = 0;

	for (uint32_t i = 0; i < row->edge_count; i++) {
		uint32_t to = cfg->edges.items[row->first_edge + i].to;

		if (sums->depths.items[to] > depth)
			depth = sums->depths.items[to];
	}
	if (depth == DOMINATOR_COVERAGE_DEPTH_MAX)
		return;
	sums->depths.items[block] = depth + 1;
	*sum = (struct block_sum){(uint32_t)sums->terms.count, row->edge_count};
	for (uint32_t i = 0; i < row->edge_count; i++)
		vector_push(&sums->terms, cfg->edges.items[row->first_edge + i].to);
}

void dominator_coverage_choose(struct block_sums *sums, const struct cfg *cfg,
			       bool in_parts)
{
	const size_t blocks = cfg->blocks.count;
	scoped_free struct flow_edge *edges =
		memory_allocate((blocks + cfg->edges.count) * sizeof(*edges));
	struct flow_graph graph = {.edges = edges, .node_count = (uint32_t)blocks + 1};
	struct graph_lists outgoing, incoming;
	struct dominators dominators;

	block_sums_choose_none(sums, cfg);
	vector_reserve(&sums->depths, blocks + 1);
	memset(sums->depths.items, 0, blocks * sizeof(*sums->depths.items));
	make_graph(cfg, in_parts, &graph);
	graph_list_outgoing(&graph, &outgoing);
	graph_list_incoming(&graph, &incoming);
	dominators_init(&dominators, &graph, &outgoing, &incoming);
	/* Dominated blocks come later in the search. */
	for (uint32_t i = dominators.count; i-- > 1;) {
		uint32_t block = dominators.nodes[i] - 1;

		if (is_told(cfg, &dominators, block))
			tell_block(sums, cfg, block);
	}
	dominators_deinit(&dominators);
	graph_lists_deinit(&outgoing);
	graph_lists_deinit(&incoming);
}
