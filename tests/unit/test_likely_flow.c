/* How often nodes are visited, by probabilities; and frequencies of blocks from samples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "derive/descent.h"
#include "derive/likely_flow.h"
#include "flow/visits.h"
#include "random_graph.h"

#include <math.h>
#include <string.h>

enum { GRAPHS = 2000, NODES_MAX = 24, EDGES_MAX = 4 * NODES_MAX };

static void expect_near(double found, double expected, double part)
{
	if (fabs(found - expected) > part * fabs(expected) + 1e-9)
		fail_msg("%g instead of %g", found, expected);
}

/* What a node has is what is begun there and what comes from others; and what it gains is
 * its own and what those gain to which it leads. */
static void check_equations(const struct flow_graph *graph, const double *shares,
			    const double *begun, struct visits *visits)
{
	double found[NODES_MAX], gained[NODES_MAX], sums[NODES_MAX], gains[NODES_MAX];

	visits_solve(visits, begun, found);
	visits_gain(visits, begun, gained);
	memcpy(sums, begun, graph->node_count * sizeof(*sums));
	memcpy(gains, begun, graph->node_count * sizeof(*gains));
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct flow_edge *edge = &graph->edges[i];

		if (!edge->from || !edge->to)
			continue;
		sums[edge->to] += shares[i] * found[edge->from];
		gains[edge->from] += shares[i] * gained[edge->to];
	}
	for (uint32_t i = 1; i < graph->node_count; i++) {
		expect_near(found[i], sums[i], 1e-4);
		expect_near(gained[i], gains[i], 1e-4);
	}
}

static void test_visits_solve_the_equations(void **state)
{
	struct flow_edge edges[EDGES_MAX];
	struct flow_graph graph = {.edges = edges};
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < GRAPHS; round++) {
		double shares[EDGES_MAX] = {0}, sums[NODES_MAX] = {0}, begun[NODES_MAX];
		struct visits *visits;

		graph.node_count = 2 + random_below(&random, NODES_MAX - 2);
		graph.edge_count = 0;
		/* All can leave. */
		for (uint32_t i = 1; i < graph.node_count; i++)
			edges[graph.edge_count++] = (struct flow_edge){.from = i};
		for (uint32_t i = random_below(&random, 3 * graph.node_count); i; i--)
			edges[graph.edge_count++] = (struct flow_edge){
				.from = random_below(&random, graph.node_count),
				.to = random_below(&random, graph.node_count)};
		for (uint32_t i = 0; i < graph.edge_count; i++)
			sums[edges[i].from] += shares[i] =
				1 + random_below(&random, 1000);
		for (uint32_t i = 0; i < graph.edge_count; i++)
			shares[i] /= sums[edges[i].from];
		for (uint32_t i = 0; i < graph.node_count; i++)
			begun[i] = random_below(&random, 100);
		visits = visits_create(&graph, 1000000);
		assert_non_null(visits);
		/* Again: nothing is left of another setting. */
		visits_set(visits, (double[EDGES_MAX]){0.5, 0.25, 0.125});
		visits_set(visits, shares);
		check_equations(&graph, shares, begun, visits);
		visits_destroy(visits);
	}
}

static void test_tangled_graphs_are_refused(void **state)
{
	struct flow_edge edges[40 * 40];
	struct flow_graph graph = {edges, 0, 40};

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		for (uint32_t j = 0; j < 40; j++)
			edges[graph.edge_count++] =
				(struct flow_edge){.from = i, .to = j};
	assert_null(visits_create(&graph, 1000));
	struct visits *visits = visits_create(&graph, 100000);

	assert_non_null(visits);
	visits_destroy(visits);
	visits_destroy(NULL);
}

/* Rosenbrock's valley: slow to follow, least at (1, 1) and so on. */
static double valley(void *data, const double *at, double *ret_gradient)
{
	const size_t count = *(size_t *)data;
	double value = 0;

	memset(ret_gradient, 0, count * sizeof(*ret_gradient));
	for (size_t i = 0; i + 1 < count; i++) {
		const double off = at[i + 1] - at[i] * at[i], left = 1 - at[i];

		value += 100 * off * off + left * left;
		ret_gradient[i] += -400 * off * at[i] - 2 * left;
		ret_gradient[i + 1] += 200 * off;
	}
	return value;
}

static void test_descent_finds_the_bottom(void **state)
{
	double at[10] = {-1.2, 1, -1.2, 1, 0.5, 0.5, 2, -1, 0, 0};
	size_t count = 10;

	(void)state;
	expect_near(descent_run(valley, &count, at, count, 2000), 0, 1);
	for (size_t i = 0; i < count; i++)
		expect_near(at[i], 1, 1e-3);
}

/* A loop of a million rounds, one in four of which goes another way, and code that never
 * ran: 1 -> 2 -> (3 | 4) -> 5 -> (2 | 6), 6 -> (7 | out), 7 -> out. */
static void test_frequencies_conserve_flow(void **state)
{
	struct flow_edge edges[] = {{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0},
				    {2, 4, 0, 0}, {3, 5, 0, 0}, {4, 5, 0, 0},
				    {5, 2, 0, 0}, {5, 6, 0, 0}, {6, 7, 0, 0},
				    {6, 0, 0, 0}, {7, 0, 0, 0}};
	const struct flow_graph graph = {edges, sizeof(edges) / sizeof(*edges), 8};
	/* Samples of costs that are off by up to a third. */
	const double runs[8] = {1, 1, 1e6, 75e4, 25e4, 1e6, 1, 0},
		     off[8] = {1, 1, 0.7, 1, 1.1, 1.3, 1, 1};
	struct likely_node nodes[8] = {{0, 0}};
	double found[8];

	(void)state;
	for (int i = 1; i < 8; i++) {
		nodes[i].cost = 0.002 * (1 + i % 3);
		nodes[i].samples = floor(runs[i] * nodes[i].cost * off[i]);
	}
	assert_true(likely_flow(&graph, nodes, found));
	expect_near(found[5], found[2], 1e-3);
	expect_near(found[3] + found[4], found[2], 1e-3);
	expect_near(found[2], 1e6, 0.1);
	expect_near(found[3], 75e4, 0.15);
	expect_near(found[4], 25e4, 0.25);
	expect_near(found[6], found[1], 1e-3);
	assert_true(found[7] < found[6]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_visits_solve_the_equations),
		cmocka_unit_test(test_tangled_graphs_are_refused),
		cmocka_unit_test(test_descent_finds_the_bottom),
		cmocka_unit_test(test_frequencies_conserve_flow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
