#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "flow/static_profile.h"
#include "random_graph.h"

#include <math.h>

enum { GRAPHS = 20000, NODES_MAX = 2000, EDGES_MAX = 8 * NODES_MAX };

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* What happened to a graph, and what is found of it. */
static struct {
	uint64_t edges[EDGES_MAX], visits[NODES_MAX];
	uint64_t arrivals[NODES_MAX]; /* how often a walk began in the middle */
	uint64_t stuck[NODES_MAX];    /* how often one was given up there */
	uint64_t counted[EDGES_MAX / 64 + 1];
	uint64_t counts[EDGES_MAX], nodes[NODES_MAX];
	int64_t residues[NODES_MAX];
	uint32_t sets[NODES_MAX];
} here;

static uint32_t random_size(uint64_t *state)
{
	uint32_t kind = random_below(state, 1000);

	if (kind < 3)
		return 2 + random_below(state, NODES_MAX - 1);
	return 2 + random_below(state, kind < 700 ? 11 : 50);
}

/* Goes through the graph until it is left, or for some steps. */
static void walk(struct random_graph *random, uint32_t node)
{
	uint32_t steps = random_below(&random->state, 40);

	for (bool begin = true; begin || node; begin = false) {
		uint32_t edge = random_graph_step(random, node);

		if ((node && !steps--) || edge == UINT32_MAX) {
			here.stuck[node]++;
			return;
		}
		here.edges[edge]++;
		node = random->edges.items[edge].to;
		here.visits[node] += node > 0;
	}
}

static void walk_often(struct random_graph *random)
{
	uint32_t nodes = random->graph.node_count;

	memset(here.edges, 0, random->edges.count * sizeof(here.edges[0]));
	memset(here.visits, 0, nodes * sizeof(here.visits[0]));
	memset(here.arrivals, 0, nodes * sizeof(here.arrivals[0]));
	memset(here.stuck, 0, nodes * sizeof(here.stuck[0]));
	for (uint32_t i = random_below(&random->state, 6); i--;) {
		here.visits[0]++;
		walk(random, 0);
	}
	if (one_in(&random->state, 4)) {
		uint32_t node = random_below(&random->state, nodes - 1) + 1;

		here.arrivals[node]++;
		here.visits[node]++;
		walk(random, node);
	}
	for (uint32_t i = 0; i < nodes; i++)
		here.residues[i] = (int64_t)(here.stuck[i] - here.arrivals[i]);
	here.residues[0] = 4711; /* not read */
}

/* Forgets the counts of all edges without a counter. */
static void keep_counted(const struct flow_graph *graph)
{
	for (uint32_t i = 0; i < graph->edge_count; i++)
		here.counts[i] = bit_test(here.counted, i) ? here.edges[i] : 0xdead;
}

static void assert_solved(const struct flow_graph *graph)
{
	uint32_t fault;

	keep_counted(graph);
	assert_true(flow_solve(graph, here.counted, here.residues, here.counts,
			       here.nodes, &fault));
	assert_memory_equal(here.counts, here.edges,
			    graph->edge_count * sizeof(here.edges[0]));
	assert_int_equal(here.nodes[0], here.visits[0]);
	for (uint32_t i = 1; i < graph->node_count; i++) {
		/* Where walks both began and stopped, the residue has less of both. */
		uint64_t both = here.arrivals[i] < here.stuck[i] ? here.arrivals[i]
								 : here.stuck[i];

		assert_int_equal(here.nodes[i], here.visits[i] - both);
	}
}

/* The parts that the graph falls into, with only the edges that have all of `flags`. */
static uint32_t count_parts(const struct flow_graph *graph, uint8_t flags)
{
	uint32_t parts = graph->node_count;

	for (uint32_t i = 0; i < graph->node_count; i++)
		here.sets[i] = i;
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		uint32_t from = here.sets[graph->edges[i].from];
		uint32_t to = here.sets[graph->edges[i].to];

		if (from == to || (graph->edges[i].flags & flags) != flags)
			continue;
		for (uint32_t k = 0; k < graph->node_count; k++)
			if (here.sets[k] == from)
				here.sets[k] = to;
		parts--;
	}
	return parts;
}

/* Edges with all of `flags`, or only those of them that are counted. */
static uint32_t count_edges(const struct flow_graph *graph, uint8_t flags, bool counted)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->edge_count; i++)
		count += (graph->edges[i].flags & flags) == flags &&
			 (!counted || bit_test(here.counted, i));
	return count;
}

static void test_few_counters_tell_all_counts(void **state)
{
	uint64_t sizes = 1;
	uint32_t unplaced = 0;

	(void)state;
	for (uint32_t i = 0; i < GRAPHS; i++) {
		struct random_graph random;
		const struct flow_graph *graph = &random.graph;
		uint32_t bad;

		random_graph_init(&random, i, i % SHAPE_COUNT, random_size(&sizes));
		assert_in_range(graph->edge_count, 1, EDGES_MAX);
		if (one_in(&random.state, 2))
			static_profile_estimate(graph, NULL);
		/* A forest has nodes - parts edges. */
		bad = count_edges(graph, FLOW_NO_COUNTER, false) -
		      (graph->node_count - count_parts(graph, FLOW_NO_COUNTER));
		assert_int_equal(flow_place(graph, here.counted), !bad);
		assert_int_equal(count_edges(graph, FLOW_NO_COUNTER, true), bad);
		assert_int_equal(count_edges(graph, 0, true),
				 graph->edge_count - graph->node_count +
					 count_parts(graph, 0));
		unplaced += bad > 0;
		walk_often(&random);
		assert_solved(graph);
		random_graph_deinit(&random);
	}
	assert_in_range(unplaced, 1, GRAPHS - 1);
}

/* The greatest worth of a set of edges without a cycle, of all sets. */
static double best_forest(const struct flow_graph *graph, const double *worths)
{
	double best = 0;

	for (uint32_t set = 0; set < 1u << graph->edge_count; set++) {
		uint8_t parts[8] = {0, 1, 2, 3, 4, 5, 6, 7};
		double worth = 0;

		for (uint32_t i = 0; i < graph->edge_count; i++) {
			uint8_t from = parts[graph->edges[i].from];
			uint8_t to = parts[graph->edges[i].to];

			if (!(set >> i & 1))
				continue;
			if (from == to) {
				worth = -1;
				break;
			}
			for (uint32_t k = 0; k < 8; k++)
				parts[k] = parts[k] == from ? to : parts[k];
			worth += worths[i];
		}
		if (worth > best)
			best = worth;
	}
	return best;
}

static void test_tree_has_the_greatest_weight(void **state)
{
	uint32_t tried = 0;

	(void)state;
	for (uint32_t i = 0; i < 4000; i++) {
		struct random_graph random;
		double worths[11], sum = 0;

		random_graph_init(&random, 7 * i, i % SHAPE_COUNT, 2 + i % 6);
		for (uint32_t k = 0; k < random.edges.count && k < 11; k++) {
			const struct flow_edge *edge = &random.edges.items[k];

			worths[k] = edge->weight;
			if (edge->flags & FLOW_NO_COUNTER)
				worths[k] += 1000;
		}
		if (random.edges.count < 11) {
			flow_place(&random.graph, here.counted);
			for (uint32_t k = 0; k < random.edges.count; k++)
				sum += bit_test(here.counted, k) ? 0 : worths[k];
			assert_true(sum == best_forest(&random.graph, worths));
			tried++;
		}
		random_graph_deinit(&random);
	}
	assert_in_range(tried, 2000, 4000);
}

static void test_earlier_edges_are_in_the_tree(void **state)
{
	struct flow_edge edges[] = {{0, 1, 1, 0}, {1, 2, 1, 0}, {1, 2, 1, 0},
				    {1, 2, 2, 0}, {2, 2, 9, 0}, {2, 0, 1, 0}};
	const struct flow_graph graph = {edges, COUNT_OF(edges), 3};

	(void)state;
	assert_true(flow_place(&graph, here.counted));
	/* The second way from 1 to 2 is the heaviest; the loop cannot be in a tree. */
	assert_int_equal(here.counted[0], 0x36);
	edges[5].flags = FLOW_NO_COUNTER;
	assert_true(flow_place(&graph, here.counted));
	assert_int_equal(here.counted[0], 0x17);
	edges[4].flags = FLOW_NO_COUNTER;
	assert_false(flow_place(&graph, here.counted));
	assert_int_equal(here.counted[0], 0x17);
}

static void test_wrong_counts_are_seen(void **state)
{
	/* 0 -> 1 -> (2 | 3) -> 4 -> 0, and 5 <-> 6 apart. */
	struct flow_edge edges[] = {{0, 1, 1, 0}, {1, 2, 1, 0}, {1, 3, 1, 0},
				    {2, 4, 1, 0}, {3, 4, 1, 0}, {4, 0, 1, 0},
				    {5, 6, 1, 0}, {6, 5, 1, 0}};
	const struct flow_graph graph = {edges, COUNT_OF(edges), 7};
	enum { ENTRY = 1, FIRST = 2, SECOND = 4, THERE = 64 };
	static const struct {
		uint64_t counted, entry, first, there;
		int64_t residues[7];
		uint32_t fault; /* 0: none */
	} rows[] = {
		{ENTRY | FIRST | THERE, 5, 2, 3, {0}, 0},
		{ENTRY | FIRST | THERE, 5, 5, 0, {0}, 0},
		{ENTRY | FIRST | THERE, 5, 6, 0, {0}, 1}, /* 1 -> 3 would be -1 */
		{ENTRY | FIRST | THERE, 5, 2, 0, {0, 0, 2}, 0},
		{ENTRY | FIRST | THERE, 5, 2, 0, {0, 0, 3}, 2}, /* 2 -> 4 */
		{ENTRY | FIRST | THERE, 5, 2, 0, {0, 0, 0, 0, -7}, 0},
		{ENTRY | FIRST | THERE, 5, 2, 0, {0, 0, 0, 0, 0, 1, -1}, 0},
		{ENTRY | FIRST | THERE, 5, 2, 0, {0, 0, 0, 0, 0, -1, 1}, 5},
		{ENTRY | FIRST | THERE, 5, 2, 1, {0, 0, 0, 0, 0, -1, 1}, 0},
		{ENTRY | FIRST | THERE, 5, 2, 1, {0, 0, 0, 0, 0, -1, 0}, 6},
		{ENTRY | FIRST, 5, 2, 0, {0}, 5}, /* a cycle of unknown edges */
		{ENTRY | THERE, 5, 0, 0, {0}, 1},
		{ENTRY | FIRST | SECOND | THERE, 5, 5, 0, {0}, 0},
		{ENTRY | FIRST | SECOND | THERE, 5, 4, 0, {0}, 1},
		{ENTRY | FIRST | THERE, INT64_MAX, 1, 0, {0}, 0},
		{ENTRY | FIRST | THERE, INT64_MAX, INT64_MAX, INT64_MAX, {0}, 0},
		{ENTRY | FIRST | THERE, 1ull << 63, 1, 0, {0}, 1},
		{ENTRY | FIRST | THERE, 5, 1ull << 63, 0, {0}, 2},
		{ENTRY | FIRST | THERE, 5, 2, 0, {0, INT64_MIN}, 1},
		{ENTRY | FIRST | THERE, INT64_MAX, 2, 0, {0, 0, 0, 0, -1}, 4},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t counts[8] = {
			rows[i].entry, rows[i].first, 3, 1, 1, 1, rows[i].there, 1};
		uint64_t nodes[7];
		uint32_t fault = 0;
		bool solved;

		if (rows[i].counted & SECOND)
			counts[2] = 0;
		solved = flow_solve(&graph, &rows[i].counted, rows[i].residues, counts,
				    nodes, &fault);
		if (solved != !rows[i].fault || (!solved && fault != rows[i].fault))
			fail_msg("row %zu: %s at %u", i, solved ? "solved" : "fault",
				 fault);
	}
}

/* A block that is entered once and left twice, as by setjmp. */
static void test_what_comes_back_twice(void **state)
{
	struct flow_edge edges[] = {
		{0, 1, 1, 0},
		{1, 2, 1, 0},
		{2, 0, 1, FLOW_NO_COUNTER},
		{1, 0, 0, FLOW_NO_COUNTER | FLOW_UNLIKELY | FLOW_SIGNED},
	};
	struct flow_graph graph = {edges, COUNT_OF(edges), 3};
	uint64_t counted[] = {3}, counts[COUNT_OF(edges)] = {1, 2}, nodes[3];
	uint32_t fault;

	(void)state;
	assert_true(flow_solve(&graph, counted, NULL, counts, nodes, &fault));
	assert_int_equal(counts[2], 2);
	assert_int_equal((int64_t)counts[3], -1);
	assert_int_equal(nodes[1], 2);
	assert_int_equal(nodes[2], 2);
	edges[3].flags &= (uint8_t)~FLOW_SIGNED;
	assert_false(flow_solve(&graph, counted, NULL, counts, nodes, &fault));
	/* Or one that was entered there, which a residue says. */
	assert_true(flow_solve(&graph, counted, (const int64_t[]){0, -1, 0}, counts,
			       nodes, &fault));
	assert_int_equal(counts[3], 0);
}

static void test_counts_beyond_all_bounds(void **state)
{
	struct flow_edge edges[] = {
		{0, 1, 1, 0}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}};
	const struct flow_graph graph = {edges, COUNT_OF(edges), 2};
	static const uint64_t counted[] = {0xe}, all[] = {0xf};
	const int64_t residues[] = {0, 10};
	uint64_t out[] = {0, INT64_MAX, INT64_MAX, INT64_MAX}, nodes[2];
	uint64_t in[] = {INT64_MAX, INT64_MAX, 10, 0};
	uint32_t fault = 9;

	(void)state;
	/* The first edge is what the others leave: it is as large as can be, and then the
	 * node runs more often than can be. */
	assert_true(flow_solve(&graph, counted, NULL, out, NULL, &fault));
	assert_int_equal(out[0], INT64_MAX);
	assert_false(flow_solve(&graph, counted, NULL, out, nodes, &fault));
	assert_true(flow_solve(&graph, all, residues, in, NULL, &fault));
	assert_false(flow_solve(&graph, all, residues, in, nodes, &fault));
	assert_int_equal(fault, 1);
	/* Three times INT64_MAX is a small number modulo 2^64. */
	edges[2] = edges[1];
	assert_false(flow_solve(&graph, counted, NULL, out, NULL, &fault));
}

/* Counts that are changed are refused, or those of another flow. */
static void test_changed_counts_are_a_flow_or_none(void **state)
{
	uint32_t refused = 0, solved = 0;

	(void)state;
	for (uint32_t i = 0; i < 2000; i++) {
		struct random_graph random;
		int64_t sums[64] = {0};
		uint32_t edge, fault;

		random_graph_init(&random, i, i % SHAPE_COUNT, 2 + i % 30);
		flow_place(&random.graph, here.counted);
		walk_often(&random);
		keep_counted(&random.graph);
		edge = random_below(&random.state, random.graph.edge_count);
		here.counts[edge] += random_below(&random.state, 20) - 10;
		if (!flow_solve(&random.graph, here.counted, here.residues, here.counts,
				NULL, &fault)) {
			assert_in_range(fault, 1, random.graph.node_count - 1);
			refused++;
			random_graph_deinit(&random);
			continue;
		}
		for (uint32_t k = 0; k < random.graph.edge_count; k++) {
			assert_true(here.counts[k] <= INT64_MAX);
			sums[random.edges.items[k].to] += (int64_t)here.counts[k];
			sums[random.edges.items[k].from] -= (int64_t)here.counts[k];
		}
		for (uint32_t k = 1; k < random.graph.node_count; k++)
			assert_int_equal(sums[k], here.residues[k]);
		solved++;
		random_graph_deinit(&random);
	}
	assert_true(refused > 100 && solved > 100);
}

/* A row of blocks, each of which also leads back to itself, to the last one, and to the
 * one before it: nothing may recurse, or take the square of their number. */
static void test_large_functions(void **state)
{
	enum { NODES = 50000 };
	struct VECTOR(struct flow_edge) edges = {0};
	uint32_t fault;

	(void)state;
	for (uint32_t i = 0; i < NODES; i++) {
		vector_push(&edges, ((struct flow_edge){i, (i + 1) % NODES, 0, 0}));
		if (!i)
			continue;
		vector_push(&edges, ((struct flow_edge){i, i, 0, 0}));
		vector_push(&edges, ((struct flow_edge){i, NODES - 1, 0, 0}));
		vector_push(&edges, ((struct flow_edge){i, i - 1, 0, 0}));
	}
	struct flow_graph graph = {edges.items, (uint32_t)edges.count, NODES};
	scoped_free uint64_t *counted =
		memory_allocate(bit_words(edges.count) * sizeof(uint64_t));
	scoped_free uint64_t *counts = memory_allocate(edges.count * sizeof(uint64_t));
	scoped_free uint64_t *wanted = memory_allocate(edges.count * sizeof(uint64_t));

	static_profile_estimate(&graph, NULL);
	assert_true(flow_place(&graph, counted));
	/* Once along the row. */
	for (uint32_t i = 0; i < edges.count; i++) {
		wanted[i] = !i || i % 4 == 1;
		counts[i] = bit_test(counted, i) ? wanted[i] : 77;
	}
	assert_true(flow_solve(&graph, counted, NULL, counts, NULL, &fault));
	assert_memory_equal(counts, wanted, edges.count * sizeof(uint64_t));
	vector_deinit(&edges);
}

static void assert_weight(const struct flow_edge *edges, uint32_t index, double wanted)
{
	if (fabs(edges[index].weight - wanted) > wanted / 200)
		fail_msg("edge %u: weight %g, not %g", index, edges[index].weight,
			 wanted);
}

static void test_loops_weigh_ten_times_as_much(void **state)
{
	/* A loop at 2 to 6, one in it at 3 to 5, 4 a loop by itself. */
	struct flow_edge edges[] = {
		{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}, {3, 4, 0, 0},
		{4, 4, 0, 0}, {4, 5, 0, 0}, {5, 3, 0, 0}, {5, 6, 0, 0},
		{6, 2, 0, 0}, {6, 7, 0, 0}, {7, 0, 0, 0},
	};
	static const double wanted[] = {1, 1, 10, 100, 900, 100, 90, 10, 9, 1, 1};
	const struct flow_graph graph = {edges, COUNT_OF(edges), 8};

	(void)state;
	static_profile_estimate(&graph, NULL);
	for (uint32_t i = 0; i < COUNT_OF(wanted); i++)
		assert_weight(edges, i, wanted[i]);
	assert_true(flow_place(&graph, here.counted));
	/* Each loop is counted where it weighs least. */
	assert_false(bit_test(here.counted, 3) && bit_test(here.counted, 5));
	assert_int_equal(count_edges(&graph, 0, true), 4);
}

static void test_irreducible_loops_weigh_more(void **state)
{
	/* 2 and 3 lead to each other, and 1 to both. */
	struct flow_edge edges[] = {{0, 1, 0, 0}, {1, 2, 0, 0}, {1, 3, 0, 0},
				    {2, 3, 0, 0}, {3, 2, 0, 0}, {3, 4, 0, 0},
				    {4, 0, 0, 0}};
	const struct flow_graph graph = {edges, COUNT_OF(edges), 5};

	(void)state;
	static_profile_estimate(&graph, NULL);
	assert_true(edges[3].weight > 3 && edges[4].weight > 3);
	assert_true(edges[1].weight <= 1 && edges[5].weight < 2);
}

static void test_what_never_returns_weighs_little(void **state)
{
	/* 3 and 5 lead to calls that do not return, 6 is a trap; 4 may throw. Nothing
	 * leads to 8. */
	struct flow_edge edges[] = {{0, 1, 0, 0}, {1, 2, 0, 0},
				    {1, 3, 0, 0}, {3, 5, 0, 0},
				    {3, 6, 0, 0}, {5, 0, 0, FLOW_UNLIKELY},
				    {2, 4, 0, 0}, {4, 0, 0, FLOW_UNLIKELY},
				    {4, 7, 0, 0}, {7, 0, 0, 0},
				    {8, 0, 0, 0}};
	const struct flow_graph graph = {edges, COUNT_OF(edges), 9};
	const double rare = 1 / 101., rest = 100 / 101.;
	const double wanted[] = {1,           rest,        rare, rare / 2,
				 rare / 2,    rare / 2,    rest, rest * rare,
				 rest * rest, rest * rest, .01};

	(void)state;
	static_profile_estimate(&graph, NULL);
	for (uint32_t i = 0; i < COUNT_OF(wanted); i++)
		assert_weight(edges, i, wanted[i]);
}

static void test_branches_go_into_loops_and_not_to_returns(void **state)
{
	/* 1 branches to 2, which returns, or 3; 3 to 4, in front of a loop, or 6. */
	struct flow_edge edges[] = {
		{0, 1, 0, 0}, {1, 2, 0, 0}, {1, 3, 0, 0}, {2, 0, 0, 0}, {3, 4, 0, 0},
		{3, 6, 0, 0}, {4, 5, 0, 0}, {5, 5, 0, 0}, {5, 6, 0, 0}, {6, 0, 0, 0}};
	const struct flow_graph graph = {edges, COUNT_OF(edges), 7};

	(void)state;
	static_profile_estimate(&graph, NULL);
	assert_weight(edges, 1, .28);
	assert_weight(edges, 2, .72);
	assert_weight(edges, 4, .54);
	assert_weight(edges, 5, .18);
	assert_weight(edges, 8, .54);
	assert_weight(edges, 9, .72);
}

/* How often the counters of a graph run in the walks that were made. */
static uint64_t cost(const struct flow_graph *graph)
{
	uint64_t sum = 0;

	flow_place(graph, here.counted);
	for (uint32_t i = 0; i < graph->edge_count; i++)
		sum += bit_test(here.counted, i) ? here.edges[i] : 0;
	return sum;
}

/* What is known beside the graph tells which side of a condition runs. */
static void test_weights_by_shares(void **state)
{
	struct flow_edge edges[] = {{0, 1, 0, 0}, {1, 2, 0, 0}, {1, 3, 0, 0},
				    {2, 4, 0, 0}, {3, 4, 0, 0}, {4, 0, 0, 0}};
	struct flow_graph graph = {edges, 6, 5};
	const float shares[] = {1, 0.25f, 1, 1, 1, 1};

	(void)state;
	static_profile_estimate(&graph, NULL);
	assert_true(edges[1].weight == edges[2].weight);
	static_profile_estimate(&graph, shares);
	assert_true(edges[2].weight > 3.9f * edges[1].weight);
	assert_true(edges[3].weight == edges[1].weight);
}

static void test_weights_save_counting(void **state)
{
	uint64_t equal = 0, estimated = 0, known = 0;

	(void)state;
	for (uint32_t i = 0; i < 2000; i++) {
		struct random_graph random;

		random_graph_init(&random, i, i % SHAPE_COUNT, 2 + i % 40);
		walk_often(&random);
		for (uint32_t k = 0; k < random.graph.edge_count; k++)
			random.edges.items[k].weight = 1;
		equal += cost(&random.graph);
		static_profile_estimate(&random.graph, NULL);
		estimated += cost(&random.graph);
		for (uint32_t k = 0; k < random.graph.edge_count; k++) {
			float weight = random.edges.items[k].weight;

			assert_true(weight >= 0 && weight <= 1e7f);
			random.edges.items[k].weight = (float)here.edges[k];
		}
		known += cost(&random.graph);
		random_graph_deinit(&random);
	}
	/* Random walks are no programs: they know no likely side. */
	assert_true(known < estimated && estimated < equal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_counters_tell_all_counts),
		cmocka_unit_test(test_tree_has_the_greatest_weight),
		cmocka_unit_test(test_earlier_edges_are_in_the_tree),
		cmocka_unit_test(test_wrong_counts_are_seen),
		cmocka_unit_test(test_what_comes_back_twice),
		cmocka_unit_test(test_counts_beyond_all_bounds),
		cmocka_unit_test(test_changed_counts_are_a_flow_or_none),
		cmocka_unit_test(test_large_functions),
		cmocka_unit_test(test_loops_weigh_ten_times_as_much),
		cmocka_unit_test(test_irreducible_loops_weigh_more),
		cmocka_unit_test(test_what_never_returns_weighs_little),
		cmocka_unit_test(test_branches_go_into_loops_and_not_to_returns),
		cmocka_unit_test(test_weights_by_shares),
		cmocka_unit_test(test_weights_save_counting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
