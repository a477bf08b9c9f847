/*
 * Runs instrumented code: functions in assembly are copied twice, one copy is patched as
 * their plan says, and both must give the same results, with the right counts.
 */
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "code/plan/position.h"
#include "code/plan/request.h"
#include "code/planner/plan_create.h"
#include "image/contents.h"
#include "plan_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <asm/prctl.h>
#include <unistd.h>
#include <cmocka.h>

enum {
	AREA_SIZE = 1 << 20,
	LINK_ADDRESS = 0x10000, /* of the first byte of the code */
	CODE_OFFSET = 1 << 19,  /* of the trampolines in the area */
	FINISH_OFFSET = (1 << 19) + (1 << 18),
	FUNCTIONS_MAX = 128,
};

/* See routines.S. */
struct listed {
	const char *name;
	const uint8_t *start;
	uint64_t size;
};
extern const struct listed first_function[], last_function[];
extern const uint8_t area_begin[], area_text_end[], area_end[], through_word[], plain[];

static uint64_t counters[FUNCTIONS_MAX];

struct run {
	struct image image;
	struct plan *plan;
	uint8_t *bare, *patched; /* two areas: code, its trampolines */
};

static void fail_if_error(struct trm_error *error)
{
	if (!error)
		return;
	print_error("%s\n", error->message);
	trm_error_destroy(error);
	fail();
}

static uint8_t *map_area(void)
{
	uint8_t *area = mmap(NULL, AREA_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t word;

	assert_ptr_not_equal(area, MAP_FAILED);
	memcpy(area, area_begin, (size_t)(area_end - area_begin));
	word = (uint64_t)(area + (plain - area_begin));
	memcpy(area + (through_word - area_begin), &word, sizeof(word));
	return area;
}

static void describe(struct image *image)
{
	size_t text = (size_t)(area_text_end - area_begin);

	plan_image_init(image, LINK_ADDRESS, area_begin, text);
	image->size = (size_t)(area_end - area_begin);
	vector_push(&image->segments,
		    ((struct image_segment){.address = LINK_ADDRESS + text,
					    .file_offset = text,
					    .file_size = image->size - text,
					    .memory_size = image->size - text}));
	for (const struct listed *listed = first_function; listed < last_function;
	     listed++)
		plan_image_add(image,
			       LINK_ADDRESS + (uint64_t)(listed->start - area_begin),
			       listed->size, listed->name);
}

static void install(struct run *run)
{
	const struct plan *plan = run->plan;
	uint64_t bias = (uint64_t)run->patched - LINK_ADDRESS;

	vector_for_each (&plan->patches, patch)
		memcpy(run->patched + (patch->address - LINK_ADDRESS), patch->bytes,
		       patch->size);
	memcpy(run->patched + CODE_OFFSET, plan->code.items, plan->code.count);
	vector_for_each (&plan->fixups, fixup) {
		uint64_t value;

		if (fixup->kind != PLAN_FIXUP_ADDRESS)
			continue; /* the bank starts with slot 0 */
		memcpy(&value, run->patched + CODE_OFFSET + fixup->offset, sizeof(value));
		value += bias;
		memcpy(run->patched + CODE_OFFSET + fixup->offset, &value, sizeof(value));
	}
}

/* Calls that lead to the trampolines without the jump at the entry. */
static void install_calls(struct run *run)
{
	vector_for_each (&run->plan->calls, call)
		memcpy(run->patched + (call->address - LINK_ADDRESS), &call->displacement,
		       sizeof(call->displacement));
}

static struct run start(enum plan_probe probe)
{
	struct run run;
	struct plan_request request = {.image = &run.image,
				       .probe = probe,
				       .code_address = LINK_ADDRESS + CODE_OFFSET};

	describe(&run.image);
	fail_if_error(plan_create(&request, &run.plan));
	run.bare = map_area();
	run.patched = map_area();
	install(&run);
	memset(counters, 0, sizeof(counters));
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, counters), 0);
	return run;
}

static void stop(struct run *run)
{
	plan_destroy(run->plan);
	plan_image_deinit(&run->image);
	munmap(run->bare, AREA_SIZE);
	munmap(run->patched, AREA_SIZE);
}

static const struct plan_function *row_of(const struct run *run, const char *name)
{
	vector_for_each (&run->plan->functions, function)
		if (!strcmp(run->plan->names.items + function->name, name))
			return function;
	fail_msg("no function %s", name);
	return NULL;
}

static uint64_t count_of(const struct run *run, const char *name)
{
	const struct plan_function *function = row_of(run, name);

	if (run->plan->slot_size == 1)
		return ((const uint8_t *)counters)[function->slot];
	return counters[function->slot];
}

typedef uint64_t function_pointer(uint64_t, uint64_t, uint64_t);

static uint64_t call(const struct run *run, uint8_t *area, const char *name, uint64_t a,
		     uint64_t b, uint64_t c)
{
	uint64_t offset = row_of(run, name)->address - LINK_ADDRESS;
	uint64_t result;

	/* Both areas see their own addresses; results must not depend on them. */
	result = ((function_pointer *)(uintptr_t)(area + offset))(a, b, c);
	return result;
}

/* A function, what else it enters per call, and whether it can be instrumented at all. */
static const struct {
	const char *name;
	const char *also;
	enum plan_reason reason;
	uint8_t size; /* of the entry patch; 0: whatever */
} cases[] = {
	{"plain", NULL, PLAN_INSTRUMENTED, 5},
	{"loop_two", NULL, PLAN_INSTRUMENTED, 10},
	{"loop_tight", NULL, PLAN_INSTRUMENTED, 5},
	{"loop_far", NULL, PLAN_INSTRUMENTED, 5},
	{"loop_marked", NULL, PLAN_INSTRUMENTED, 10},
	{"loop_behind", NULL, PLAN_INSTRUMENTED, 10},
	{"loop_island", NULL, PLAN_INSTRUMENTED, 5},
	{"short_zero", NULL, PLAN_INSTRUMENTED, 5},
	{"tight_a", NULL, PLAN_INSTRUMENTED, 2},
	{"tight_b", NULL, PLAN_INSTRUMENTED, 2},
	{"tight_c", NULL, PLAN_INSTRUMENTED, 5},
	{"falls", "fallen", PLAN_INSTRUMENTED, 5},
	{"fallen", NULL, PLAN_INSTRUMENTED, 2},
	{"wrapper", "plain", PLAN_INSTRUMENTED, 4},
	{"wrapper_first", "plain", PLAN_INSTRUMENTED, 4},
	{"wrapper_marked", "wrapper", PLAN_INSTRUMENTED, 4},
	{"wrapper_loop", NULL, PLAN_INSTRUMENTED, 2},
	{"wrapper_entered", NULL, PLAN_INSTRUMENTED, 2},
	{"far_a", NULL, PLAN_INSTRUMENTED, 5},
	{"called", "plain", PLAN_INSTRUMENTED, 4},
	{"emulated", "adder", PLAN_INSTRUMENTED, 5},
	{"through_memory", "plain", PLAN_INSTRUMENTED, 4},
	{"through_stack", "plain", PLAN_INSTRUMENTED, 5},
	{"far_b", NULL, PLAN_INSTRUMENTED, 5},
	{"count_zero", NULL, PLAN_INSTRUMENTED, 5},
	{"looper", NULL, PLAN_INSTRUMENTED, 5},
	{"branch_first", NULL, PLAN_INSTRUMENTED, 5},
	{"jump_first", NULL, PLAN_INSTRUMENTED, 5},
	{"load", NULL, PLAN_INSTRUMENTED, 5},
	{"store", NULL, PLAN_INSTRUMENTED, 5},
	{"compare", NULL, PLAN_INSTRUMENTED, 5},
	{"table_loop", NULL, PLAN_BRANCH_INTO_ENTRY, 0},
	{"set_carry", "adder", PLAN_INSTRUMENTED, 2},
	{"tail_jumper", NULL, PLAN_INSTRUMENTED, 5},
	{"tail", "plain", PLAN_INSTRUMENTED, 5},
	{"inside", NULL, PLAN_INSTRUMENTED, 2},
	{"pointed_at", NULL, PLAN_INSTRUMENTED, 2},
	{"point_at", NULL, PLAN_INSTRUMENTED, 5},
	{"string", NULL, PLAN_INSTRUMENTED, 5},
};

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static const uint64_t values[] = {0, 1, 2, 3, 7, 31, 0x7fffffff, 0x80000000, UINT64_MAX};

enum { VALUES = sizeof(values) / sizeof(values[0]) };

static void compare_case(const struct run *run, size_t index)
{
	const char *name = cases[index].name, *also = cases[index].also;
	bool counted = cases[index].reason == PLAN_INSTRUMENTED;
	uint64_t before, also_before = also ? count_of(run, also) : 0;

	before = count_of(run, name);
	for (size_t i = 0; i < VALUES * VALUES; i++) {
		uint64_t a = values[i / VALUES], b = values[i % VALUES];

		if (call(run, run->bare, name, a, b, i) !=
		    call(run, run->patched, name, a, b, i))
			fail_msg("%s(%#lx, %#lx) differs", name, (unsigned long)a,
				 (unsigned long)b);
	}
	if (run->plan->slot_size == 1) {
		if (counted)
			assert_int_equal(count_of(run, name), 1);
		return;
	}
	if (counted && count_of(run, name) - before != VALUES * VALUES)
		fail_msg("%s: %lu calls counted", name,
			 (unsigned long)(count_of(run, name) - before));
	if (also && count_of(run, also) - also_before != VALUES * VALUES)
		fail_msg("%s from %s: %lu calls counted", also, name,
			 (unsigned long)(count_of(run, also) - also_before));
}

static void test_counts(void **state)
{
	struct run run = start(PLAN_PROBE_COUNT);

	(void)state;
	for (size_t i = 0; i < CASES; i++)
		compare_case(&run, i);
	stop(&run);
}

static void test_counts_with_calls(void **state)
{
	struct run run = start(PLAN_PROBE_COUNT);

	(void)state;
	assert_int_not_equal(run.plan->calls.count, 0);
	install_calls(&run);
	for (size_t i = 0; i < CASES; i++)
		compare_case(&run, i);
	stop(&run);
}

static void test_flags(void **state)
{
	struct run run = start(PLAN_PROBE_FLAG);

	(void)state;
	for (size_t i = 0; i < CASES; i++)
		compare_case(&run, i);
	stop(&run);
}

static void test_forms(void **state)
{
	struct run run = start(PLAN_PROBE_COUNT);

	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		const struct plan_function *row = row_of(&run, cases[i].name);
		uint8_t size = 0;

		if (row->reason != cases[i].reason)
			fail_msg("%s: %s", cases[i].name, plan_reason_text(row->reason));
		vector_for_each (&run.plan->patches, patch)
			if (patch->address - row->address <= 9 &&
			    &run.plan->functions.items[patch->function] == row && !size)
				size = patch->size;
		if (cases[i].size && size != cases[i].size)
			fail_msg("%s: a patch of %d bytes", cases[i].name, size);
	}
	assert_int_equal(row_of(&run, "repeated")->reason, PLAN_NOT_MOVABLE);
	assert_int_equal(row_of(&run, "undefined")->reason, PLAN_INSTRUMENTED);
	stop(&run);
}

/* Results that depend on where the code lies, and calls that count more than once. */
static void test_addresses_and_recursion(void **state)
{
	struct run run = start(PLAN_PROBE_COUNT);
	uint64_t before;

	(void)state;
	assert_int_equal(
		call(&run, run.bare, "call_next", (uint64_t)run.bare, 0, 0),
		call(&run, run.patched, "call_next", (uint64_t)run.patched, 0, 0));
	assert_int_equal(count_of(&run, "call_next"), 1);
	assert_int_equal(
		call(&run, run.bare, "emulated_indirect", (uint64_t)run.bare, 0, 0),
		call(&run, run.patched, "emulated_indirect", (uint64_t)run.patched, 0,
		     0));
	assert_int_equal(count_of(&run, "emulated_indirect"), 1);
	assert_int_equal(count_of(&run, "call_next"), 2);
	before = count_of(&run, "recurse");
	assert_int_equal(call(&run, run.bare, "recurse", 30, 4, 0),
			 call(&run, run.patched, "recurse", 30, 4, 0));
	assert_int_equal(count_of(&run, "recurse") - before, 31);
	before = count_of(&run, "tail_taker");
	call(&run, run.patched, "tail_jumper", 0x7fffffff, 1, 0);
	assert_int_equal(count_of(&run, "tail_taker") - before, 1);
	stop(&run);
}

static const uint8_t *original_at(void *context, uint64_t address, size_t size)
{
	return image_bytes_at(context, address, size);
}

/* The first place of this kind in a function's trampoline. */
static struct plan_position find_place(const struct run *run,
				       const struct plan_function *row,
				       enum plan_position_kind kind)
{
	struct plan_position place = {.kind = PLAN_POSITION_UNKNOWN};

	for (uint32_t at = row->trampoline; place.kind != kind; at++) {
		assert_true(at < run->plan->code.count);
		place = plan_locate(run->plan, original_at,
				    (void *)(uintptr_t)&run->image, at);
	}
	assert_int_equal(place.function, row - run->plan->functions.items);
	return place;
}

/* Threads in a stub: before it has counted, and behind. */
static void check_stub(const struct run *run, const struct plan_function *row)
{
	struct plan_position place = find_place(run, row, PLAN_POSITION_CALL_UNDO);
	const uint8_t *call = image_bytes_at(&run->image, place.original, 6);
	const bool word = call[0] == 0xff && call[1] == 0x15;
	uint64_t end = place.original + 5 + word;
	uint32_t offset;
	int32_t distance;

	assert_int_equal(end, row->address + row->call_end);
	assert_true(word || call[0] == 0xe8);
	memcpy(&distance, call + 1 + word, sizeof(distance));
	place = find_place(run, row, PLAN_POSITION_CALL_DONE);
	assert_int_equal(place.original, end + (uint64_t)(int64_t)distance);
	assert_int_equal(place.word, word);
	assert_int_equal(row->displaced, 0);
	assert_false(
		plan_offset_of(run->plan, place.function, call, end - 5 - word, &offset));
}

/* Code that plan_finish writes for a place, called as if it were the function. It goes on
 * in the trampoline. */
static void finish_case(const struct run *run, size_t index)
{
	const struct plan_function *row = row_of(run, cases[index].name);
	const uint8_t *original =
		image_bytes_at(&run->image, row->address, row->displaced);
	struct plan_position place;
	uint64_t finish = LINK_ADDRESS + FINISH_OFFSET, word;
	uint8_t *code = run->patched + FINISH_OFFSET;
	function_pointer *function = (function_pointer *)(uintptr_t)(code + 8);
	uint32_t next, none;
	size_t size;

	if (row->call_end) {
		check_stub(run, row);
		return;
	}
	place = find_place(run, row, PLAN_POSITION_START);
	size = plan_finish(run->plan, &place, original, finish, code, 256, &next);
	if (!size) {
		/* Only a branch is not for it. */
		original += place.original - row->address;
		assert_true(*original == 0xe8 || *original == 0xeb || *original == 0xff);
		return;
	}
	assert_int_equal(
		plan_finish(run->plan, &place, original, finish, code, size - 1, &none),
		0);
	word = (uint64_t)(run->patched + CODE_OFFSET + next);
	memcpy(code, &word, sizeof(word));
	for (size_t i = 0; i < VALUES * VALUES; i++) {
		uint64_t a = values[i / VALUES], b = values[i % VALUES];

		if (function(a, b, i) != call(run, run->bare, cases[index].name, a, b, i))
			fail_msg("%s(%#lx, %#lx) differs", cases[index].name,
				 (unsigned long)a, (unsigned long)b);
	}
}

static void test_finish(void **state)
{
	struct run run = start(PLAN_PROBE_COUNT);

	(void)state;
	for (size_t i = 0; i < CASES; i++)
		if (cases[i].reason == PLAN_INSTRUMENTED)
			finish_case(&run, i);
	stop(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_counts_with_calls),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_addresses_and_recursion),
		cmocka_unit_test(test_finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
