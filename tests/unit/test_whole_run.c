/*
 * Functions relocated whole are run side by side with the bare ones: the same results and
 * the same memory; and each block was counted as often as single steps of the bare code
 * came to it.
 */
#include "code/plan/request.h"
#include "whole_area.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static const uint64_t firsts[] = {0, 1, 2, 3, 4, 5, 6, 31, 0x7fffffff, UINT64_MAX};
static const uint64_t seconds[] = {0, 3, UINT64_MAX};

enum {
	FIRSTS = sizeof(firsts) / sizeof(firsts[0]),
	INPUTS = FIRSTS * (sizeof(seconds) / sizeof(seconds[0])),
};

static void run_bare(struct whole_area *area, uint64_t address,
		     struct whole_result *results)
{
	whole_area_show(area, false);
	for (unsigned i = 0; i < INPUTS; i++)
		results[i] =
			whole_run_stepped(address, firsts[i % FIRSTS],
					  seconds[i / FIRSTS], i, whole_note_step, area);
}

static void compare(struct whole_area *area, const char *name, uint64_t address,
		    const struct whole_result *results)
{
	whole_area_show(area, true);
	for (unsigned i = 0; i < INPUTS; i++) {
		struct whole_result result =
			whole_run(address, firsts[i % FIRSTS], seconds[i / FIRSTS], i);

		if (result.rax != results[i].rax)
			fail_msg("%s(%#lx, %#lx) is %#lx, not %#lx", name,
				 (unsigned long)firsts[i % FIRSTS],
				 (unsigned long)seconds[i / FIRSTS],
				 (unsigned long)result.rax,
				 (unsigned long)results[i].rax);
		if (memcmp(result.scratch, results[i].scratch, WHOLE_SCRATCH))
			fail_msg("%s(%#lx, %#lx) writes other memory", name,
				 (unsigned long)firsts[i % FIRSTS],
				 (unsigned long)seconds[i / FIRSTS]);
	}
}

static void run_routines(enum image_type type, enum plan_depth depth)
{
	struct whole_result *results = calloc(INPUTS, sizeof(*results));
	struct whole_area area;

	whole_routines_open(&area, type, depth);
	vector_for_each (&area.plan->functions, function) {
		const char *name = area.plan->names.items + function->name;

		if (!whole_routine_runs(name, type))
			continue;
		run_bare(&area, function->address, results);
		compare(&area, name, function->address, results);
		whole_check_counts(&area);
	}
	assert_int_equal(area.edges > 2000, depth == PLAN_EDGES);
	whole_area_close(&area);
	free(results);
}

static void test_position_independent(void **state)
{
	(void)state;
	run_routines(IMAGE_DYNAMIC, PLAN_BLOCKS);
	run_routines(IMAGE_DYNAMIC, PLAN_EDGES);
}

static void test_fixed_addresses(void **state)
{
	(void)state;
	run_routines(IMAGE_EXECUTABLE, PLAN_BLOCKS);
	run_routines(IMAGE_EXECUTABLE, PLAN_EDGES);
}

/* In how many blocks functions are relocated whole; 0: there is no room. */
static const struct {
	const char *name;
	uint32_t blocks;
} forms[] = {
	{"plain", 1},        {"loop_two", 2},      {"loop_island", 5},
	{"looper", 3},       {"wrapper", 1},       {"recurse", 3},
	{"tail_jumper", 2},  {"inside", 3},        {"switch_near", 8},
	{"switch_slow", 7},  {"switch_behind", 8}, {"switch_loop", 8},
	{"switch_fixed", 6}, {"switch_entry", 3},  {"calls_first", 5},
	{"calls_row", 1},    {"calls_only", 1},    {"calls_blocks", 5},
	{"calls_late", 2},   {"fibonacci", 3},     {"tails", 5},
	{"tail_last", 3},    {"carries", 4},       {"flags_over", 8},
	{"flags_kept", 5},   {"gives_carry", 3},   {"takes_carry", 1},
	{"loops", 9},        {"repeats", 4},       {"kernel", 5},
	{"packed_a", 4},     {"packed_b", 3},      {"left", 3},
	{"goto_words", 9},   {"goto_sum", 0},      {"goto_near", 0},
	{"goto_frame", 0},   {"numbers", 3},       {"locks", 4},
	{"goto_labels", 10}, {"switch_sum", 6},
};

static void check_form(const struct whole_area *area, const char *name, uint32_t blocks)
{
	vector_for_each (&area->plan->functions, function) {
		if (strcmp(area->plan->names.items + function->name, name) != 0)
			continue;
		assert_int_equal(function->reason, PLAN_INSTRUMENTED);
		if (function->block_count != blocks)
			fail_msg("%s: %u blocks", name, function->block_count);
		assert_int_equal(function->map_row_count != 0, blocks != 0);
		return;
	}
	fail_msg("no function %s", name);
}

static void test_forms(void **state)
{
	struct whole_area area;

	(void)state;
	whole_routines_open(&area, IMAGE_EXECUTABLE, PLAN_BLOCKS);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		check_form(&area, forms[i].name, forms[i].blocks);
	assert_int_not_equal(area.plan->stubs.count, 0);
	whole_area_close(&area);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_position_independent),
		cmocka_unit_test(test_fixed_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
