#include "flow/loops.h"

#include "base/cleanup.h"
#include "flow/dominators.h"

struct nesting {
	const struct flow_graph *graph;
	struct graph_lists outgoing, incoming;
	struct dominators dominators;
	uint32_t *sets;  /* a loop that is finished is one set, known by its header */
	uint32_t *queue; /* nodes of the loop whose incoming edges are to be followed */
	uint32_t queue_count;
	uint32_t *heads; /* by node: the loop it is the header of, or GRAPH_NONE */
};

/* Adds a loop for each header in the order of the search, in which a header comes before
 * all that it dominates, and notes the edges back. */
static void find_headers(struct nesting *nesting, struct loops *loops)
{
	const struct dominators *dominators = &nesting->dominators;

	for (uint32_t i = 1; i < dominators->count; i++) {
		uint32_t node = dominators->nodes[i];

		graph_for_each (&nesting->incoming, node, edge) {
			uint32_t from = nesting->graph->edges[edge].from;

			if (dominators->numbers[from] == GRAPH_NONE ||
			    !dominators_is_above(dominators, node, from))
				continue;
			bit_set(loops->back, edge);
			if (nesting->heads[node] != GRAPH_NONE)
				continue;
			nesting->heads[node] = (uint32_t)loops->loops.count;
			vector_add(&loops->loops)->header = node;
		}
	}
}

/* Takes a node, or a finished loop that is known by its header, into a loop. */
static void take_loop(struct nesting *nesting, struct loops *loops, uint32_t index,
		      uint32_t node)
{
	uint32_t header = loops->loops.items[index].header;

	if (nesting->dominators.numbers[node] == GRAPH_NONE)
		return;
	node = graph_sets_find(nesting->sets, node);
	if (node == header)
		return;
	nesting->sets[node] = header;
	nesting->queue[nesting->queue_count++] = node;
	if (nesting->heads[node] == GRAPH_NONE)
		loops->innermost[node] = index;
	else
		loops->loops.items[nesting->heads[node]].parent = index;
}

/* Takes all that leads to the edges back to the header. Each node and each loop is taken
 * once in all, by the innermost loop around it. */
static void find_body(struct nesting *nesting, struct loops *loops, uint32_t index)
{
	const struct flow_edge *edges = nesting->graph->edges;
	struct loop *loop = &loops->loops.items[index];

	loop->parent = GRAPH_NONE;
	loops->innermost[loop->header] = index;
	graph_for_each (&nesting->incoming, loop->header, edge)
		if (bit_test(loops->back, edge))
			take_loop(nesting, loops, index, edges[edge].from);
	while (nesting->queue_count) {
		uint32_t node = nesting->queue[--nesting->queue_count];

		graph_for_each (&nesting->incoming, node, edge)
			take_loop(nesting, loops, index, edges[edge].from);
	}
}

/* Counts the back edges of the depth-first search that do not lead to a header. */
static uint32_t count_irregular(const struct nesting *nesting, const struct loops *loops)
{
	const struct dominators *dominators = &nesting->dominators;
	uint32_t count = 0;

	for (uint32_t i = 0; i < nesting->graph->edge_count; i++) {
		const struct flow_edge *edge = &nesting->graph->edges[i];

		count += edge->to && dominators->numbers[edge->from] != GRAPH_NONE &&
			 dominators_is_back(dominators, edge->from, edge->to) &&
			 !bit_test(loops->back, i);
	}
	return count;
}

void loops_init(struct loops *ret_loops, const struct flow_graph *graph)
{
	size_t size = graph->node_count * sizeof(uint32_t);
	scoped_free uint32_t *sets = graph_sets_create(graph->node_count);
	scoped_free uint32_t *queue = memory_allocate(size);
	scoped_free uint32_t *heads = memory_allocate(size);
	struct nesting nesting = {
		.graph = graph, .sets = sets, .queue = queue, .heads = heads};

	*ret_loops = (struct loops){
		.innermost = memory_allocate(size),
		.back = memory_allocate_zeroed(bit_words(graph->edge_count),
					       sizeof(*ret_loops->back)),
	};
	memset(heads, 0xff, size); /* GRAPH_NONE */
	memset(ret_loops->innermost, 0xff, size);
	graph_list_outgoing(graph, &nesting.outgoing);
	graph_list_incoming(graph, &nesting.incoming);
	dominators_init(&nesting.dominators, graph, &nesting.outgoing, &nesting.incoming);
	find_headers(&nesting, ret_loops);
	for (size_t i = ret_loops->loops.count; i--;)
		find_body(&nesting, ret_loops, (uint32_t)i);
	vector_for_each (&ret_loops->loops, loop)
		loop->depth = loop->parent == GRAPH_NONE
				      ? 1
				      : ret_loops->loops.items[loop->parent].depth + 1;
	ret_loops->irregular = count_irregular(&nesting, ret_loops);
	dominators_deinit(&nesting.dominators);
	graph_lists_deinit(&nesting.outgoing);
	graph_lists_deinit(&nesting.incoming);
}

void loops_deinit(struct loops *loops)
{
	vector_deinit(&loops->loops);
	free(loops->innermost);
	free(loops->back);
	*loops = (struct loops){0};
}
