/*
 * Random functions are unpatched step by step, as their blocks fire: at any time they do
 * what the bare ones do, and in the end the flags of all executed blocks are set.
 */
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/planner/plan_create.h"
#include "sanitized.h"
#include "whole_maker.h"

#include "base/bits.h"
#include "base/cleanup.h"
#include "code/emit/probe.h"
#include "code/locate/address_map.h"
#include "code/unpatch/unpatch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { BATCHES = TIMES(4, 2), ROUNDS = 6, PAGE = 128, LARGE_PAGE = 1024 };

static struct maker maker;
static uint32_t page; /* bytes, of texts that are written page by page */
/* Each function is run in as many ways as there are rounds: later ones go where earlier
 * ones did not. */
static struct whole_result results[ROUNDS][FUNCTIONS];
/* What the bare functions of this seed did, whose results these are. */
static struct whole_seen *seen;
static uint32_t seed_seen;
/* Which ways of relocated code are open, by function. */
static struct return_jumps ways[FUNCTIONS];
/* By function: bitmap of the blocks that run unpatched. */
static uint64_t *running[FUNCTIONS];
/* In which order its pages are written. */
static uint64_t early[FUNCTIONS];
static size_t at_home, open_blocks, short_jumps, led_branches, led_out, closed_steps,
	turned;

static bool has_fired(const void *context, uint32_t slot)
{
	(void)context;
	return ((const uint8_t *)whole_counters)[slot];
}

static struct whole_result run(unsigned i, unsigned round, whole_step *step,
			       void *context)
{
	uint64_t at = WHOLE_ADDRESS + maker.starts[i], a = (i + round) & 1 ? i : round;
	unsigned seed = i + round * FUNCTIONS;

	if (step)
		return whole_run_stepped(at, a, 5, seed, step, context);
	return whole_run(at, a, 5, seed);
}

/* One of so many functions, in one of the ways up to that of the round. */
static void run_some(const struct whole_area *area, unsigned last, uint32_t part)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		unsigned round = maker_draw(&maker, last + 1);
		struct whole_result result;

		if (maker_draw(&maker, part))
			continue;
		result = run(i, round, NULL, NULL);
		if (memcmp(&result, &results[round][i], sizeof(result)))
			fail_msg("function %u differs, calls are %s", i,
				 area->copies_calls ? "copied" : "in place");
	}
}

/* Makes relocated code return to the original, or set flags again. */
static void set_ways(const struct whole_area *area, unsigned i, bool open)
{
	vector_for_each (&ways[i], way) {
		uint8_t *code = (uint8_t *)(uintptr_t)WHOLE_CODE + way->code;
		int32_t distance = (int32_t)(way->address - (WHOLE_CODE + way->code + 5));

		assert_int_equal(
			probe_at(area->plan->code.items + way->code, PROBE_FLAG_SIZE),
			PROBE_FLAG);
		memcpy(code, area->plan->code.items + way->code, PROBE_FLAG_SIZE);
		if (!open)
			continue;
		*code = 0xe9;
		memcpy(code + 1, &distance, sizeof(distance));
	}
}

/* Writes the text page by page, and runs functions meanwhile. */
static void write_text(const struct whole_area *area,
		       const struct plan_function *function, const uint8_t *text,
		       unsigned round, uint64_t order, bool back)
{
	const uint64_t start = function->address, end = start + unpatch_size(function);
	const uint64_t first = start & ~(uint64_t)(page - 1);
	const uint32_t pages = (uint32_t)((end - first + page - 1) / page);

	for (uint32_t i = 0; i < pages; i++) {
		uint32_t turn = back ? pages - 1 - i : i;
		uint64_t from = first + (uint64_t)unpatch_page_at(order, turn) * page,
			 to = from + page;

		from = from < start ? start : from;
		to = to < end ? to : end;
		memcpy((void *)(uintptr_t)from, text + (from - start), to - from);
		if (i + 1 < pages && !maker_draw(&maker, 8))
			run_some(area, round, 8);
	}
}

/* A probe that becomes a return jump is that of the block to which it leads. */
static void check_ways(const struct plan *plan, const struct plan_function *function,
		       const struct return_jumps *found)
{
	vector_for_each (found, way) {
		uint32_t slot = probe_slot(plan, way->code) / plan->slot_size;
		bool own = way->address == function->address && slot == function->slot;

		for (uint32_t b = 0; b < function->block_count; b++) {
			const struct plan_block *block =
				&plan->blocks.items[function->first_block + b];

			own |= way->address == function->address + block->offset &&
			       slot == block->slot;
		}
		assert_true(own);
	}
}

static struct unpatch_request request_for(const struct whole_area *area,
					  const uint8_t *patched, unsigned i)
{
	const struct plan_function *function =
		plan_function_at(area->plan, WHOLE_ADDRESS + maker.starts[i]);
	uint64_t offset = function->address - WHOLE_ADDRESS;

	return (struct unpatch_request){
		.plan = area->plan,
		.function = function,
		.page = page,
		.original = area->bare + offset,
		.patched = patched + offset,
		.open = running[i],
		.has_fired = has_fired,
	};
}

/* The function has another text now. */
static void take_over(const struct whole_area *area, unsigned i,
		      struct return_jumps *found, uint64_t *opened)
{
	vector_deinit(&ways[i]);
	free(running[i]);
	ways[i] = *found;
	running[i] = opened;
	set_ways(area, i, true);
}

/* Whether one of two bytes is of a jump that leads into the code of the function. */
static bool are_in_island(const struct unpatch_request *request, const uint8_t *text,
			  uint32_t at)
{
	const struct plan_function *function = request->function;
	uint32_t from = at > 4 ? at - 4 : 0;

	for (; from <= at + 1 && from + 5 <= unpatch_size(function); from++) {
		int32_t distance;
		uint64_t code;

		memcpy(&distance, text + from + 1, sizeof(distance));
		code = function->address + from + 5 + (uint64_t)distance - WHOLE_CODE;
		if (text[from] == 0xe9 && code < request->plan->code.count &&
		    plan_function_of(request->plan, (uint32_t)code) == function)
			return true;
	}
	return false;
}

/* Each leads to a jump. */
static void count_short_jumps(const struct unpatch_request *request, const uint8_t *text)
{
	const struct plan_function *function = request->function;

	for (uint32_t b = 0; b < function->block_count; b++) {
		uint32_t at =
			request->plan->blocks.items[function->first_block + b].offset;

		if (text[at] != 0xeb || !memcmp(text + at, request->patched + at, 2) ||
		    are_in_island(request, text, at))
			continue;
		short_jumps++;
		assert_int_equal(text[at + 2 + (uint32_t)(int8_t)text[at + 1]], 0xe9);
	}
}

/* Retargeted branches of unpatched blocks lead into the code of their function. */
static void count_led_branches(const struct unpatch_request *request, const uint8_t *text,
			       const uint64_t *opened)
{
	const struct plan *plan = request->plan;
	const struct plan_function *function = request->function;

	for (uint32_t b = 0; opened && b < function->block_count; b++) {
		const struct plan_block *block =
			&plan->blocks.items[function->first_block + b];
		uint32_t end = block->offset + block->size;
		int32_t distance;
		uint32_t code;

		if (!bit_test(opened, b) || block->to == PLAN_EDGE_OUT || end < 5 ||
		    !memcmp(text + end - 4, request->original + end - 4, 4))
			continue;
		memcpy(&distance, text + end - 4, sizeof(distance));
		code = (uint32_t)(function->address + end + (uint64_t)distance -
				  WHOLE_CODE);
		assert_ptr_equal(plan_function_of(plan, code), function);
		led_branches++;
	}
}

static void go_home(const struct whole_area *area, const uint8_t *patched, unsigned i,
		    unsigned round)
{
	const struct unpatch_request request = request_for(area, patched, i);
	scoped_free uint8_t *text = malloc(unpatch_size(request.function));
	struct return_jumps found = {0};
	uint64_t *opened = NULL;

	if (!unpatch_make(&request, text, &found, &opened, &early[i])) {
		vector_deinit(&found);
		return;
	}
	check_ways(area->plan, request.function, &found);
	count_short_jumps(&request, text);
	count_led_branches(&request, text, opened);
	set_ways(area, i, false);
	turned += early[i] != 0;
	write_text(area, request.function, text, round, early[i], false);
	take_over(area, i, &found, opened);
	at_home++;
	open_blocks += found.count;
}

static void leave_home(const struct whole_area *area, const uint8_t *patched, unsigned i)
{
	const struct unpatch_request request = request_for(area, patched, i);
	scoped_free uint8_t *text = malloc(unpatch_size(request.function));

	set_ways(area, i, false);
	unpatch_close(&request, text);
	write_text(area, request.function, text, ROUNDS - 1, early[i], true);
	take_over(area, i, &(struct return_jumps){0}, NULL);
}

/* Texts change under a thread that stands in them. */
struct changing {
	const struct whole_area *area;
	const uint8_t *patched;
	bool close; /* at some time all is closed */
	bool closed;
};

/* Finds where an unpatched block continues. */
static bool way_in(const struct unpatch_request *request, uint64_t rip,
		   uint32_t *ret_code)
{
	const struct plan_function *function = request->function;

	if (rip - function->address < function->displaced)
		return plan_offset_of(
			request->plan,
			(uint32_t)(function - request->plan->functions.items),
			request->original, rip, ret_code);
	return plan_moved_to(request->plan, rip, true, ret_code);
}

/* Has the function's text changed, by unpatch_make or unpatch_close, and the thread led
 * out. */
static void change_one(struct changing *changing, unsigned i, bool close,
		       greg_t *registers)
{
	struct unpatch_request request =
		request_for(changing->area, changing->patched, i);
	const struct plan_function *function = request.function;
	uint64_t rip = (uint64_t)registers[REG_RIP];
	uint8_t *current = (uint8_t *)(uintptr_t)function->address;
	scoped_free uint8_t *text = malloc(unpatch_size(function));
	struct return_jumps found = {0};
	uint64_t *opened = NULL;
	uint32_t code;

	if (close) {
		unpatch_close(&request, text);
	} else if (!unpatch_make(&request, text, &found, &opened, &early[i])) {
		vector_deinit(&found);
		return;
	}
	if (rip - function->address < unpatch_size(function) &&
	    (plan_jump_leads(request.plan, rip, (const uint8_t *)registers[REG_RIP],
			     &code) ||
	     (close && rip != function->address && way_in(&request, rip, &code)))) {
		registers[REG_RIP] = (greg_t)(WHOLE_CODE + code);
		led_out++;
	}
	set_ways(changing->area, i, false);
	memcpy(current, text, unpatch_size(function));
	take_over(changing->area, i, &found, opened);
}

/* Once all is closed no block runs at its own place. */
static void check_closed(const struct whole_area *area, uint64_t rip)
{
	const uint8_t *now = (const uint8_t *)(uintptr_t)rip;
	const uint8_t *bare = area->bare + (rip - WHOLE_ADDRESS);
	uint32_t code;

	closed_steps++;
	if (plan_moved_to(area->plan, rip, true, &code) && !memcmp(now, bare,
								   *now == 0xe9   ? 5
								   : *now == 0xeb ? 2
										  : 1))
		fail_msg("+%#lx runs at its own place",
			 (unsigned long)rip - WHOLE_ADDRESS);
}

static unsigned function_at(uint64_t rip)
{
	unsigned i = FUNCTIONS;

	while (i && WHOLE_ADDRESS + maker.starts[i - 1] > rip)
		i--;
	return i ? i - 1 : 0;
}

static void change_now_and_then(void *context, ucontext_t *ucontext)
{
	struct changing *changing = context;
	greg_t *registers = ucontext->uc_mcontext.gregs;
	uint64_t rip = (uint64_t)registers[REG_RIP];

	if (rip - WHOLE_ADDRESS >= changing->area->text)
		return;
	if (changing->closed) {
		check_closed(changing->area, rip);
	} else if (changing->close && !maker_draw(&maker, 50)) {
		for (unsigned i = 0; i < FUNCTIONS; i++)
			change_one(changing, i, true, registers);
		changing->closed = true;
	} else if (!maker_draw(&maker, 6)) {
		change_one(changing, function_at(rip), false, registers);
	}
}

/* Runs functions whose texts change meanwhile. */
static void run_changing(const struct whole_area *area, const uint8_t *patched,
			 bool close)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		struct changing changing = {area, patched, close, false};
		unsigned round = maker_draw(&maker, ROUNDS);
		struct whole_result result;

		if (close) /* the one before closed them */
			for (unsigned other = 0; other < FUNCTIONS; other++)
				if (!maker_draw(&maker, 4))
					go_home(area, patched, other, round);
		result = run(i, round, change_now_and_then, &changing);
		if (memcmp(&result, &results[round][i], sizeof(result)))
			fail_msg("function %u differs, calls are %s, %s", i,
				 area->copies_calls ? "copied" : "in place",
				 close ? "closing" : "changing");
	}
}

/* What is told of each block is whether it was executed. */
static void check_flags(const struct whole_area *area)
{
	const struct plan *plan = area->plan;
	scoped_free uint64_t *flags = calloc(plan->slot_count, sizeof(*flags));

	for (uint32_t slot = 0; slot < plan->slot_count; slot++)
		flags[slot] = has_fired(NULL, slot);
	vector_for_each (&plan->functions, function)
		for (uint32_t b = 0; b < function->block_count; b++) {
			const struct plan_block *block =
				&plan->blocks.items[function->first_block + b];
			uint64_t at = function->address + block->offset - WHOLE_ADDRESS;

			if (plan_block_count(plan, block, flags) !=
			    (whole_executed[at] != 0))
				fail_msg("block at +%#lx: %u executions",
					 (unsigned long)at, whole_executed[at]);
		}
}

/* However they are planned, the bare functions of a seed do the same. */
static void run_bare(struct whole_area *area, uint32_t seed)
{
	if (seen && seed == seed_seen) {
		whole_seen_use(area, seen);
		return;
	}
	whole_area_show(area, false);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < FUNCTIONS; i++)
			results[round][i] = run(i, round, whole_note_step, area);
	whole_seen_free(seen);
	seen = whole_seen_keep(area);
	seed_seen = seed;
}

static void run_batch(uint32_t seed, bool copies_calls)
{
	struct whole_area area;
	scoped_free uint8_t *patched = malloc(TEXT);

	maker_make(&maker, seed);
	maker_open(&maker, &area);
	area.copies_calls = copies_calls;
	area.flags = true;
	page = seed % 2 ? PAGE : LARGE_PAGE;
	whole_area_plan(&area);
	/* With blocks behind the others, too. */
	struct frequencies drawn = whole_draw_frequencies(area.plan, seed);

	if (seed / 2 % 2)
		whole_area_plan_again(&area, &drawn);
	assert_int_equal(area.plan->cold_slot, area.plan->slot_count);
	frequencies_deinit(&drawn);
	run_bare(&area, seed);
	whole_area_show(&area, true);
	memcpy(patched, (void *)(uintptr_t)WHOLE_ADDRESS, TEXT);
	for (unsigned round = 0; round < ROUNDS; round++) {
		run_some(&area, round, 2);
		for (unsigned i = 0; i < FUNCTIONS; i++)
			if (maker_draw(&maker, 3))
				go_home(&area, patched, i, round);
		run_some(&area, round, 3);
		if (round % 2)
			run_changing(&area, patched, false);
	}
	for (unsigned i = 0; i < 4 * ROUNDS; i++)
		run_some(&area, ROUNDS - 1, 2);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < FUNCTIONS; i++)
			run(i, round, NULL, NULL);
	check_flags(&area);
	/* With copied calls the session leads frames out. */
	if (!copies_calls)
		run_changing(&area, patched, true);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		leave_home(&area, patched, i);
	whole_area_show(&area, true);
	run_some(&area, ROUNDS - 1, 1);
	whole_area_close(&area);
}

static void test_home(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= BATCHES; seed++) {
		run_batch(seed, false);
		run_batch(seed, true);
	}
	/* With a switch that leads to an island on a page that is written later than its
	 * table's name; with an island of the plan's in a block that another page's leads
	 * to; with blocks on two pages that nobody comes to, and a name of a table that
	 * another page leads to. */
	run_batch(14, false);
	run_batch(109, false);
	run_batch(7, false);
	whole_seen_free(seen);
	/* Most functions are unpatched, and most of their executed blocks. */
	assert_true(at_home * 10 > 2 * BATCHES * FUNCTIONS * ROUNDS * 5);
	assert_true(open_blocks > 2 * at_home);
	assert_true(short_jumps > 250 * BATCHES && led_out > 125 * BATCHES &&
		    closed_steps > 125 * BATCHES && led_branches > 60 * BATCHES &&
		    turned > 10 * BATCHES);
}

/* A function of OCaml's compiler: its first block has a stub, so no probe of its own. A
 * short jump has its island in the third. */
static void test_stub(void **state)
{
	static const uint8_t code[] = {
		0x48, 0x83, 0xec, 0x08,                   /* sub $8, %rsp */
		0xe8, 0x57, 0,    0,    0,                /* call 60 */
		0x49, 0x83, 0xef, 0x20, 0x4d, 0x3b, 0x3e, /* sub; cmp (%r14), %r15 */
		0x72, 0x2b,                               /* jb 3d */
		0x49, 0x8d, 0x5f, 0x08, 0x48, 0x83, 0xc3, 0x10, /* lea; add */
		0x48, 0xc7, 0x43, 0xf8, 0x01, 0x04, 0,    0,    /* movq $1025, -8(%rbx) */
		0x48, 0x89, 0x03, 0x48, 0x8d, 0x43, 0xf0,       /* mov; lea */
		0x48, 0xc7, 0x40, 0xf8, 0x08, 0x04, 0,    0,    /* movq $1032, -8(%rax) */
		0x48, 0x89, 0x18, 0x48, 0x83, 0xc4, 0x08,       /* mov; add $8, %rsp */
		0xe9, 0x23, 0,    0,    0,                      /* jmp 60 */
		0xe8, 0x1e, 0,    0,    0,    0xeb, 0xce,       /* 3d: call 60; jmp 12 */
	};
	struct whole_area area;
	uint8_t bytes[PAGE], text[PAGE];
	struct return_jumps found = {0};
	uint64_t order;
	uint64_t *opened = NULL;
	struct unpatch_request request = {
		.original = bytes, .patched = text, .page = PAGE, .has_fired = has_fired};

	(void)state;
	memset(bytes, 0x90, sizeof(bytes));
	memcpy(bytes, code, sizeof(code));
	memcpy(bytes + 0x60, "\xb8\1\0\0\0\xc3", 6);
	whole_area_open(&area, bytes, sizeof(bytes), sizeof(bytes), IMAGE_DYNAMIC);
	plan_image_add(&area.image, WHOLE_ADDRESS, sizeof(code), "first");
	plan_image_add(&area.image, WHOLE_ADDRESS + 0x60, 6, "second");
	/* Its frame table has what calls return to. */
	vector_push(&area.image.targets, WHOLE_ADDRESS + 9);
	vector_push(&area.image.targets, WHOLE_ADDRESS + 0x42);
	area.flags = true;
	whole_area_plan(&area);
	whole_area_show(&area, true);
	memcpy(text, (void *)(uintptr_t)WHOLE_ADDRESS, sizeof(text));
	request.plan = area.plan;
	request.function = area.plan->functions.items;
	assert_int_equal(request.function->call_end, 9);
	for (uint32_t b = 0; b < 3; b++) {
		uint32_t slot = area.plan->blocks.items[b].slot;

		if (slot < area.plan->slot_count)
			((uint8_t *)whole_counters)[slot] = 1;
	}
	if (unpatch_make(&request, bytes, &found, &opened, &order))
		check_ways(area.plan, request.function, &found);
	vector_deinit(&found);
	free(opened);
	whole_area_close(&area);
}

static bool all_fired(const void *context, uint32_t slot)
{
	(void)context;
	(void)slot;
	return true;
}

/* The text of an image by its plan. */
static void patch_text(const struct plan *plan, uint64_t address, uint8_t *text)
{
	vector_for_each (&plan->patches, patch)
		memcpy(text + (patch->address - address), patch->bytes, patch->size);
	vector_for_each (&plan->calls, call)
		memcpy(text + (call->address - address), &call->displacement,
		       sizeof(call->displacement));
}

/* A function that is counted at its entry: its calls lead where they did, but that of one
 * that would be cut in half between two pages. */
static void check_calls(uint32_t call_at, bool cut)
{
	enum { SECOND = 0x90, SMALL_PAGE = 64, ADDRESS = 0x10000 };
	const uint32_t size = call_at + 6;
	const int32_t distance = SECOND - (int32_t)(call_at + 5);
	uint8_t bytes[256], patched[256], text[256];
	struct return_jumps found = {0};
	struct image image;
	struct plan *plan;
	uint64_t order, *opened;

	memset(bytes, 0x90, sizeof(bytes));
	memcpy(bytes, "\xb8\1\0\0\0", 5);
	bytes[call_at] = 0xe8;
	memcpy(bytes + call_at + 1, &distance, sizeof(distance));
	bytes[size - 1] = 0xc3;
	memcpy(bytes + SECOND, "\xb8\2\0\0\0\xc3", 6);
	plan_image_init(&image, ADDRESS, bytes, sizeof(bytes));
	plan_image_add(&image, ADDRESS, size, "first");
	plan_image_add(&image, ADDRESS + SECOND, 6, "second");
	assert_null(plan_create(&(struct plan_request){.image = &image,
						       .probe = PLAN_PROBE_FLAG,
						       .code_address = 0x2000000},
				&plan));
	memcpy(patched, bytes, sizeof(bytes));
	patch_text(plan, ADDRESS, patched);
	assert_int_equal(plan->functions.items[0].block_count, 0);
	assert_memory_not_equal(patched + call_at, bytes + call_at, 5);
	struct unpatch_request request = {.plan = plan,
					  .function = plan->functions.items,
					  .original = bytes,
					  .patched = patched,
					  .page = SMALL_PAGE,
					  .has_fired = all_fired};

	assert_true(unpatch_make(&request, text, &found, &opened, &order));
	assert_memory_equal(text, bytes, call_at);
	assert_memory_equal(text + call_at, (cut ? patched : bytes) + call_at, 5);
	assert_int_equal(found.count, 0);
	plan_destroy(plan);
	plan_image_deinit(&image);
}

static void test_calls(void **state)
{
	(void)state;
	check_calls(20, false);
	check_calls(60, true);
	check_calls(64, false);
	check_calls(59, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_home),
					   cmocka_unit_test(test_stub),
					   cmocka_unit_test(test_calls)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
