#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "flow/paths.h"
#include "random_graph.h"

#include <string.h>

enum { GRAPHS = 3000, NODES = 12, WAYS = 30, LIMIT = 400 };

static void walk_deinit(struct paths_walk *walk)
{
	vector_deinit(walk);
}
#define scoped_free_walk __attribute__((cleanup(walk_deinit)))

static struct paths_way ways[WAYS];
static bool entered[NODES];
static uint32_t seen[LIMIT];

/* A graph at random: loops, parallel edges, several entries, nodes that nothing leaves.
 */
static struct paths_graph make_graph(uint64_t *state)
{
	struct paths_graph graph = {.node_count = 1 + random_below(state, NODES),
				    .entered = entered,
				    .ways = ways,
				    .way_count = random_below(state, WAYS)};

	for (uint32_t i = 0; i < graph.node_count; i++)
		entered[i] = !random_below(state, 8);
	for (uint32_t i = 0; i < graph.way_count; i++) {
		uint32_t to = random_below(state, graph.node_count + 1);

		ways[i] = (struct paths_way){
			.from = random_below(state, graph.node_count),
			.to = to == graph.node_count ? PATHS_NONE : to,
			.weight = (float)random_below(state, 100),
		};
	}
	return graph;
}

/* Follows all paths from a node on; the sums at each end are the path's number. */
static void follow(const struct paths *paths, uint32_t node, uint64_t number, int64_t sum,
		   struct paths_walk *walk)
{
	scoped_free_walk struct paths_walk other = {0};

	assert_true(paths_walk_to(paths, node, sum, &other));
	assert_int_equal(other.count, walk->count);
	assert_memory_equal(other.items, walk->items, walk->count * sizeof(*walk->items));
	for (uint32_t i = paths->first[node]; i < paths->first[node + 1]; i++) {
		const struct paths_step *step = &paths->steps.items[i];
		uint64_t then = number + step->value;

		assert_int_equal(step->from, node);
		vector_push(walk, i);
		if (step->to != PATHS_NONE) {
			follow(paths, step->to, then, sum + step->increment, walk);
		} else {
			assert_true(then < paths->count);
			assert_int_equal(sum + step->increment, then);
			seen[then]++;
			assert_true(paths_walk_of(paths, then, &other));
			assert_int_equal(other.count, walk->count);
			assert_memory_equal(other.items, walk->items,
					    walk->count * sizeof(*walk->items));
		}
		walk->count--;
	}
}

static void numbers_are_unique_and_dense(void **context)
{
	uint64_t state = 1, graphs = 0, cut = 0;

	(void)context;
	for (uint32_t g = 0; g < GRAPHS; g++) {
		struct paths_graph graph = make_graph(&state);
		scoped_free_walk struct paths_walk walk = {0};
		struct paths paths;

		if (!paths_init(&paths, &graph, LIMIT))
			continue;
		graphs++;
		memset(seen, 0, sizeof(seen));
		for (uint32_t i = paths.first[graph.node_count]; i < paths.steps.count;
		     i++) {
			const struct paths_step *step = &paths.steps.items[i];

			vector_push(&walk, i);
			follow(&paths, step->to, step->value, step->increment, &walk);
			walk.count = 0;
		}
		for (uint64_t i = 0; i < paths.count; i++)
			assert_int_equal(seen[i], 1);
		assert_false(paths_walk_of(&paths, paths.count, &walk));
		vector_for_each (&paths.steps, step) {
			bool begins = paths_goes_on(step);

			cut += begins;
			if (begins)
				assert_int_not_equal(paths.begin_of[ways[step->way].to],
						     PATHS_NONE);
		}
		paths_deinit(&paths);
	}
	assert_true(graphs > GRAPHS / 2 && cut > GRAPHS);
}

/* if (a) ...; if (b) ...; if (c) ...; the side that is not taken has no increment. */
static void increments_are_where_it_runs_seldom(void **context)
{
	static const struct paths_way rows[] = {
		{0, 1, 1, false},  {0, 2, 99, false}, {1, 2, 1, false},
		{2, 3, 1, false},  {2, 4, 99, false}, {3, 4, 1, false},
		{4, 5, 50, false}, {4, 5, 40, false}, {5, PATHS_NONE, 100, false},
	};
	const struct paths_graph graph = {.node_count = 6, .ways = rows, .way_count = 9};
	struct paths paths;
	float cost = 0;

	(void)context;
	assert_true(paths_init(&paths, &graph, 1000));
	assert_int_equal(paths.count, 8);
	vector_for_each (&paths.steps, step)
		if (step->kind == PATHS_PASS && step->increment)
			cost += rows[step->way].weight;
	assert_true(cost == 42); /* one of each two, and the lighter parallel edge */
	paths_deinit(&paths);
}

/* A row of conditions: 2 to the power of 60 paths. */
static void too_many_paths_are_cut(void **context)
{
	enum { ROW = 60 };
	struct paths_way rows[2 * ROW];
	struct paths_graph graph = {
		.node_count = ROW, .ways = rows, .way_count = 2 * ROW};
	struct paths paths;
	scoped_free_walk struct paths_walk walk = {0};

	(void)context;
	for (uint32_t i = 0; i < 2 * ROW; i++)
		rows[i] =
			(struct paths_way){.from = i / 2,
					   .to = i / 2 + 1 < ROW ? i / 2 + 1 : PATHS_NONE,
					   .weight = 1};
	assert_true(paths_init(&paths, &graph, 5000));
	assert_true(paths.count > 500 && paths.count <= 5000);
	assert_true(paths_walk_of(&paths, paths.count - 1, &walk));
	paths_deinit(&paths);
	assert_true(paths_init(&paths, &graph, 2 * ROW));
	paths_deinit(&paths);
	assert_false(paths_init(&paths, &graph, 2 * ROW - 1));
}

static void bare_edges_have_no_increment(void **context)
{
	struct paths_way rows[] = {
		{0, 1, 1, true},           {0, 2, 9, false}, {1, 2, 1, false},
		{2, PATHS_NONE, 1, false}, {0, 2, 9, true},
	};
	struct paths_graph graph = {.node_count = 3, .ways = rows, .way_count = 5};
	struct paths paths;

	(void)context;
	assert_true(paths_init(&paths, &graph, 100));
	for (uint32_t i = 0; i < 5; i++)
		if (rows[i].bare)
			assert_int_equal(paths.steps.items[paths.step_of[i]].increment,
					 0);
	paths_deinit(&paths);
	rows[2].bare = true; /* a cycle of them */
	assert_false(paths_init(&paths, &graph, 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_unique_and_dense),
		cmocka_unit_test(increments_are_where_it_runs_seldom),
		cmocka_unit_test(too_many_paths_are_cut),
		cmocka_unit_test(bare_edges_have_no_increment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
