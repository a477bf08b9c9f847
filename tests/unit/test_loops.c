#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flow/dominators.h"
#include "flow/loops.h"
#include "flow/static_profile.h"
#include "random_graph.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

enum { GRAPHS = 20000, NODES_MAX = 32, EDGES_MAX = 8 * NODES_MAX };

/* A set of nodes. */
typedef uint32_t nodes;

static nodes only(uint32_t node)
{
	return (nodes)1 << node;
}

/* What is found by definition, with no algorithm to speak of. */
static struct {
	nodes reached;
	nodes dominated[NODES_MAX]; /* by node: what it dominates */
	nodes bodies[NODES_MAX];    /* by node: the loop it is the header of, or none */
	bool back[EDGES_MAX];
	uint64_t counts[EDGES_MAX], entries[NODES_MAX], iterations[NODES_MAX];
} here;

/* What can be reached from node 0 without going over `wall`, by edges that are not left
 * out. Node 0 itself is not reached again. */
static nodes reach(const struct flow_graph *graph, uint32_t wall, const bool *left_out)
{
	nodes reached = wall ? only(0) : 0, before = 0;

	while (reached != before) {
		before = reached;
		for (uint32_t i = 0; i < graph->edge_count; i++) {
			const struct flow_edge *edge = &graph->edges[i];

			if (edge->to && edge->to != wall && reached & only(edge->from) &&
			    !(left_out && left_out[i]))
				reached |= only(edge->to);
		}
	}
	return reached;
}

/* The header, and what leads to `from` without going over it. */
static nodes natural_loop(const struct flow_graph *graph, uint32_t from, uint32_t header)
{
	nodes body = only(header) | only(from), before = 0;

	while (body != before) {
		before = body;
		for (uint32_t i = 0; i < graph->edge_count; i++)
			if (graph->edges[i].to != header &&
			    body & only(graph->edges[i].to))
				body |= only(graph->edges[i].from) & here.reached;
	}
	return body;
}

static void find_by_definition(const struct flow_graph *graph)
{
	memset(&here, 0, sizeof(here));
	here.reached = reach(graph, UINT32_MAX, NULL);
	for (uint32_t i = 0; i < graph->node_count; i++)
		here.dominated[i] = here.reached & ~reach(graph, i, NULL);
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct flow_edge *edge = &graph->edges[i];

		if (!edge->to || !(here.dominated[edge->to] & only(edge->from)))
			continue;
		here.back[i] = true;
		here.bodies[edge->to] |= natural_loop(graph, edge->from, edge->to);
	}
}

/* Whether all cycles go over edges back to a header: nothing is left when nodes without
 * an incoming edge are taken away, again and again. */
static bool is_reducible(const struct flow_graph *graph)
{
	nodes left = here.reached & ~only(0), targets = left, before = 0;

	while (left != before) {
		before = left;
		targets = 0;
		for (uint32_t i = 0; i < graph->edge_count; i++)
			if (!here.back[i] && left & only(graph->edges[i].from))
				targets |= only(graph->edges[i].to);
		left &= targets;
	}
	return !left;
}

/* The smallest loop that holds the node and is larger than `inner`; UINT32_MAX: none. */
static uint32_t smallest_around(uint32_t node, nodes inner)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < NODES_MAX; i++)
		if (here.bodies[i] & only(node) && here.bodies[i] != inner &&
		    (here.bodies[i] & inner) == inner &&
		    (found == UINT32_MAX ||
		     __builtin_popcount(here.bodies[i]) <
			     __builtin_popcount(here.bodies[found])))
			found = i;
	return found;
}

static uint32_t header_of(const struct loops *loops, uint32_t index)
{
	return index == GRAPH_NONE ? UINT32_MAX : loops->loops.items[index].header;
}

static void assert_loops(const struct flow_graph *graph, const struct loops *loops)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->edge_count; i++)
		assert_int_equal(bit_test(loops->back, i), here.back[i]);
	for (uint32_t i = 0; i < graph->node_count; i++) {
		assert_int_equal(header_of(loops, loops->innermost[i]),
				 smallest_around(i, 0));
		count += here.bodies[i] != 0;
	}
	assert_int_equal(loops->loops.count, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct loop *loop = &loops->loops.items[i];
		uint32_t depth = 0;

		assert_int_equal(loops->innermost[loop->header], i);
		assert_int_equal(
			header_of(loops, loop->parent),
			smallest_around(loop->header, here.bodies[loop->header]));
		assert_true(loop->parent == GRAPH_NONE || loop->parent < i);
		for (uint32_t k = 0; k < NODES_MAX; k++)
			depth += (here.bodies[k] & only(loop->header)) != 0;
		assert_int_equal(loop->depth, depth);
	}
	assert_int_equal(loops->irregular == 0, is_reducible(graph));
}

static void assert_dominators(const struct flow_graph *graph)
{
	struct graph_lists outgoing, incoming;
	struct dominators dominators;

	graph_list_outgoing(graph, &outgoing);
	graph_list_incoming(graph, &incoming);
	dominators_init(&dominators, graph, &outgoing, &incoming);
	assert_int_equal(dominators.count, __builtin_popcount(here.reached));
	for (uint32_t i = 0; i < graph->node_count; i++) {
		bool reached = here.reached & only(i);
		uint32_t above = dominators.immediate[i];

		assert_int_equal(dominators.numbers[i] != GRAPH_NONE, reached);
		assert_int_equal(above == GRAPH_NONE, !i || !reached);
		for (uint32_t k = 0; reached && k < graph->node_count; k++) {
			bool dominates = here.dominated[k] & only(i);

			if (!(here.reached & only(k)))
				continue;
			assert_int_equal(dominators_is_above(&dominators, k, i),
					 dominates);
			/* All that dominate a node dominate the last of them. */
			if (dominates && k != i)
				assert_true(here.dominated[k] & only(above));
		}
	}
	dominators_deinit(&dominators);
	graph_lists_deinit(&outgoing);
	graph_lists_deinit(&incoming);
}

/* Walks from node 0, and notes for each pass of a header whether it came from outside. */
static void walk(struct random_graph *random)
{
	uint32_t node = 0;

	for (uint32_t steps = 0; steps < 200; steps++) {
		uint32_t edge = random_graph_step(random, node), to;

		if (edge == UINT32_MAX)
			return;
		to = random->edges.items[edge].to;
		here.counts[edge]++;
		if (here.bodies[to]) {
			here.iterations[to]++;
			here.entries[to] += !(here.bodies[to] & only(node));
		}
		node = to;
	}
}

/* Edges to the header are entries, but for those back; all are passes. */
static void assert_trips(const struct loops *loops, const struct flow_graph *graph,
			 const struct loop *loop, const uint64_t *counts,
			 uint64_t entries, uint64_t iterations)
{
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		if (graph->edges[i].to != loop->header)
			continue;
		iterations -= counts[i];
		entries -= bit_test(loops->back, i) ? 0 : counts[i];
	}
	assert_int_equal(iterations, 0);
	assert_int_equal(entries, 0);
}

static void test_loops_are_as_defined(void **state)
{
	uint32_t irregular = 0, deep = 0, count = 0;

	(void)state;
	for (uint32_t i = 0; i < GRAPHS; i++) {
		struct random_graph random;
		struct loops loops;

		random_graph_init(&random, i, i % SHAPE_COUNT,
				  2 + i / SHAPE_COUNT % (NODES_MAX - 1));
		assert_in_range(random.edges.count, 1, EDGES_MAX);
		find_by_definition(&random.graph);
		assert_dominators(&random.graph);
		loops_init(&loops, &random.graph);
		assert_loops(&random.graph, &loops);
		if (i % SHAPE_COUNT == SHAPE_NESTED)
			assert_int_equal(loops.irregular, 0);
		walk(&random);
		walk(&random);
		vector_for_each (&loops.loops, loop) {
			assert_trips(&loops, &random.graph, loop, here.counts,
				     here.entries[loop->header],
				     here.iterations[loop->header]);
			deep += loop->depth > 2;
		}
		irregular += loops.irregular > 0;
		count += (uint32_t)loops.loops.count;
		loops_deinit(&loops);
		random_graph_deinit(&random);
	}
	/* The graphs are such that there was something to find. */
	assert_true(irregular > GRAPHS / 10 && deep > GRAPHS / 20 && count > GRAPHS);
}

/* From counters to trip counts: for (i < 3) for (j < 4), called twice. */
static void test_trip_counts_from_few_counters(void **state)
{
	struct flow_edge edges[] = {{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0},
				    {3, 4, 0, 0}, {4, 3, 0, 0}, {3, 5, 0, 0},
				    {5, 2, 0, 0}, {2, 0, 0, 0}};
	const struct flow_graph graph = {edges, COUNT_OF(edges), 6};
	uint64_t counts[] = {2, 2, 6, 24, 24, 6, 6, 2}, counted[1];
	uint32_t fault;
	struct loops loops;

	(void)state;
	static_profile_estimate(&graph, NULL);
	assert_true(flow_place(&graph, counted));
	assert_int_equal(__builtin_popcountll(counted[0]), 3);
	for (uint32_t i = 0; i < COUNT_OF(edges); i++)
		counts[i] = bit_test(counted, i) ? counts[i] : 0;
	assert_true(flow_solve(&graph, counted, NULL, counts, NULL, &fault));
	loops_init(&loops, &graph);
	assert_int_equal(loops.loops.count, 2);
	assert_trips(&loops, &graph, &loops.loops.items[0], counts, 2, 8);
	assert_trips(&loops, &graph, &loops.loops.items[1], counts, 6, 30);
	assert_int_equal(loops.loops.items[1].parent, 0);
	loops_deinit(&loops);
}

/* Rows of loops, each in the one before it, and all with a way out to one block: nothing
 * may recurse, or take the square of their number. */
static void test_large_functions(void **state)
{
	enum { NODES = 50000, LAST = NODES - 1 };
	struct VECTOR(struct flow_edge) edges = {0};
	struct loops loops;

	(void)state;
	for (uint32_t i = 0; i < LAST; i++)
		vector_push(&edges, ((struct flow_edge){i, i + 1, 0, 0}));
	for (uint32_t i = 1; i < LAST; i++) {
		vector_push(&edges, ((struct flow_edge){LAST - 1, i, 0, 0}));
		vector_push(&edges, ((struct flow_edge){i, LAST, 0, 0}));
	}
	vector_push(&edges, ((struct flow_edge){LAST, 0, 0, 0}));
	struct flow_graph graph = {edges.items, (uint32_t)edges.count, NODES};

	loops_init(&loops, &graph);
	assert_int_equal(loops.loops.count, LAST - 1);
	assert_int_equal(loops.loops.items[LAST - 2].depth, LAST - 1);
	assert_int_equal(loops.innermost[LAST], GRAPH_NONE);
	assert_int_equal(loops.irregular, 0);
	loops_deinit(&loops);
	vector_deinit(&edges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops_are_as_defined),
		cmocka_unit_test(test_trip_counts_from_few_counters),
		cmocka_unit_test(test_large_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
