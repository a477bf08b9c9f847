/* Times of call graphs: what probes took is taken out, and calls that were not timed get
 * theirs. */
#include "collect/callgraph/cost.h"
#include "collect/callgraph/times.h"
#include "collect/callgraph/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static const struct callgraph_cost cost = {
	.inside = 10, .outside = 20, .untimed = 30, .leaf = 5};

/* A function that calls another one and a leaf. */
enum { ROOT, OUTER, INNER, LEAF, CONTEXTS };

static void correct(struct image_context_sums sums[CONTEXTS])
{
	static const struct image_context contexts[] = {
		[ROOT] = {.kind = IMAGE_CONTEXT_ROOT},
		[OUTER] = {.parent = ROOT, .kind = IMAGE_CONTEXT_FUNCTION},
		[INNER] = {.parent = OUTER, .kind = IMAGE_CONTEXT_FUNCTION},
		[LEAF] = {.parent = OUTER, .kind = IMAGE_CONTEXT_FUNCTION, .leaf = true},
	};
	struct image_graph graph = {0};

	for (int i = 0; i < CONTEXTS; i++)
		vector_push(&graph.contexts, contexts[i]);
	callgraph_correct(&graph, sums, &cost);
	vector_deinit(&graph.contexts);
}

/* Of 100 calls of 40 ticks 10 are timed. */
static void test_costs(void **state)
{
	struct image_context_sums sums[CONTEXTS] = {
		[OUTER] = {1, 1, 10 + 1000 + 10 * 20 + 90 * (30 + 40) + 7 * 5},
		[INNER] = {100, 10, 10 * (10 + 40)},
		[LEAF] = {7, 0, 0},
	};

	(void)state;
	correct(sums);
	assert_int_equal(sums[OUTER].ticks, 1000);
	assert_int_equal(sums[INNER].ticks, 100 * 40);
	assert_int_equal(sums[LEAF].ticks, 0);
}

/* Callers of which few were timed, too; what called them is not known. */
static void test_callers(void **state)
{
	struct image_context_sums sums[CONTEXTS] = {
		[OUTER] = {50, 5, 5 * (10 + 400 + 2 * 20 + 2 * (30 + 40))},
		[INNER] = {200, 100, 100 * (10 + 40)},
	};

	(void)state;
	correct(sums);
	assert_int_equal(sums[OUTER].ticks, 50 * 400);
	assert_int_equal(sums[INNER].ticks, 200 * 40);
}

/* Never more is moved than there is, and nothing is less than nothing. */
static void test_limits(void **state)
{
	struct image_context_sums sums[CONTEXTS] = {
		[OUTER] = {1, 1, 10 + 99 * 30 + 20 + 1000},
		[INNER] = {100, 1, 10 + 5000},
	};

	(void)state;
	correct(sums);
	assert_int_equal(sums[OUTER].ticks, 0);
	assert_in_range(sums[INNER].ticks, 5000 + 999, 5000 + 1000);
	sums[OUTER] = (struct image_context_sums){1, 1, 100};
	sums[INNER] = (struct image_context_sums){100, 1, 5};
	correct(sums);
	assert_int_equal(sums[OUTER].ticks, 0);
	assert_int_equal(sums[INNER].ticks, 0);
}

/* Of a machine that can run what is measured, all take some time, and not much. */
static void test_found(void **state)
{
	struct callgraph_cost found;

	(void)state;
	callgraph_find_cost(&found);
	print_message("inside %.1f, outside %.1f, untimed %.1f, leaf %.1f ticks\n",
		      found.inside, found.outside, found.untimed, found.leaf);
	assert_true(found.inside > 0 && found.inside < 10000);
	assert_true(found.outside >= 0 && found.outside < 10000);
	assert_true(found.untimed > 0 && found.untimed < 1000);
	assert_true(found.leaf > 0 && found.leaf < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
