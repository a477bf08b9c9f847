/*
 * Calls counted by call site: code is run through its gates and stubs, with the bank
 * and the resident's code that a program has, and stopped at every instruction on the
 * way.
 */
enum { BANK_SLOTS = 512 };
#include "code/calls/gate_layout.h"
#include "code/calls/gates.h"
#include "code/emit/probe.h"
#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/locate/locate_gates.h"
#include "code/plan/plan_rows.h"
#include "code/plan/position.h"
#include "code/plan/request.h"
#include "code/relocate/inline_cache.h"
#include "gate_bank.h"
#include "wire/bank.h"
#include "wire/graph.h"
#include "x86/decode.h"

#include <stdlib.h>

/* name(start, site of the first call, ..., end) */
__asm__(".text\n.balign 16\nsample_begin:\n"
	"sample_leaf: lea 1(%rdi), %rax\n add %rsi, %rax\n ret\n"
	".balign 16\n"
	"sample_first: sub $8, %rsp\n call sample_leaf\n add $8, %rsp\n ret\n"
	".balign 16\n"
	"sample_twice: push %rbx\n mov %rdi, %rbx\n nopl 8(%rax)\n"
	"sample_twice_1: call sample_leaf\n mov %rbx, %rdi\n"
	"sample_twice_2: call sample_leaf\n pop %rbx\n ret\n"
	".balign 16\n"
	"sample_pointer: push %rbx\n lea sample_leaf(%rip), %rbx\n call *%rbx\n"
	"sample_pointer_1: call *%rbx\n"
	"sample_pointer_2: call *%rbx\n"
	"sample_pointer_3: call *%rbx\n"
	"sample_pointer_4: pop %rbx\n ret\n"
	".balign 16\n"
	"sample_tail: lea 2(%rdi), %rdi\n nopl 8(%rax)\n"
	"sample_tail_1: .byte 0xe9\n .long sample_leaf - . - 4\n"
	".balign 16\n"
	"sample_flags: adc $0, %rdi\n mov %rdi, %rax\n ret\n"
	".balign 16\n"
	"sample_carry: sub $8, %rsp\n nopl 8(%rax)\n stc\n call sample_flags\n"
	"sample_carry_1: clc\n call sample_flags\n"
	"sample_carry_2: add $8, %rsp\n ret\n"
	".balign 16\n"
	"sample_linked: sub $8, %rsp\n nopl 8(%rax)\n"
	"sample_linked_1: call sample_plt\n add $8, %rsp\n ret\n"
	".balign 16\n"
	"sample_tail_linked: lea 3(%rdi), %rdi\n nopl 8(%rax)\n"
	"sample_linked_2: .byte 0xe9\n .long sample_plt - . - 4\n"
	".balign 16\n"
	"sample_far: sub $8, %rsp\n nopl 8(%rax)\n"
	"sample_far_1: call sample_far_plt\n add $8, %rsp\n ret\n"
	/* Farther than a jump within a function. */
	".balign 16\nsample_code_end: .fill 192, 1, 0xcc\n"
	"sample_plt: endbr64\n jmp *sample_word(%rip)\n nopl 0(%rax)\n"
	"sample_lazy: lea sample_leaf(%rip), %r11\n jmp *%r11\n"
	".balign 16\nsample_far_plt: endbr64\n jmp *sample_far_word(%rip)\n nopl "
	"0(%rax)\n"
	".balign 16\nsample_word: .quad sample_leaf - sample_begin + 0x20000000\n"
	"sample_far_word: .quad sample_leaf - sample_begin + 0x20000000\n"
	".balign 16\nsample_end:\n");

extern const uint8_t sample_begin[], sample_leaf[], sample_first[], sample_twice[],
	sample_twice_1[], sample_twice_2[], sample_pointer[], sample_pointer_1[],
	sample_pointer_2[], sample_pointer_3[], sample_pointer_4[], sample_tail[],
	sample_tail_1[], sample_flags[], sample_carry[], sample_carry_1[],
	sample_carry_2[], sample_linked[], sample_linked_1[], sample_linked_2[],
	sample_tail_linked[], sample_code_end[], sample_plt[], sample_lazy[],
	sample_word[], sample_far[], sample_far_1[], sample_far_plt[], sample_far_word[],
	sample_end[];

enum {
	LEAF,
	FIRST,
	TWICE,
	POINTER,
	TAIL,
	FLAGS,
	CARRY,
	LINKED,
	TAIL_LINKED,
	FAR,
	FUNCTIONS
};
static const uint8_t *const starts[] = {
	sample_leaf,        sample_first, sample_twice,   sample_pointer,
	sample_tail,        sample_flags, sample_carry,   sample_linked,
	sample_tail_linked, sample_far,   sample_code_end};

/* What the linkage table leads to. */
static void fill_word(uint64_t address)
{
	memcpy((void *)(uintptr_t)at(sample_word), &address, sizeof(address));
}

static void fill_far_word(uint64_t address)
{
	memcpy((void *)(uintptr_t)at(sample_far_word), &address, sizeof(address));
}

/* How much is measured, and whether calls are made in relocated code. */
static const struct {
	enum plan_depth depth;
	bool copies;
} ways_to_count[] = {{PLAN_ENTRIES, false},
		     {PLAN_CALLS, true},
		     {PLAN_BLOCKS, false},
		     {PLAN_BLOCKS, true}};
enum { WAYS_TO_COUNT = sizeof(ways_to_count) / sizeof(ways_to_count[0]) };

static void open_area(struct whole_area *area, enum plan_depth depth, bool copies)
{
	size_t size = (size_t)(sample_end - sample_begin);
	struct plan_request request = {.image = &area->image,
				       .probe = PLAN_PROBE_COUNT,
				       .depth = depth,
				       .calls = true,
				       .copy_calls = copies,
				       .code_address = WHOLE_CODE,
				       .hook_layout = {.arc = WIRE_BANK_ARC}};

	whole_area_open(area, sample_begin, size, size, IMAGE_DYNAMIC);
	area->copies_calls = copies;
	for (int i = 0; i < FUNCTIONS; i++)
		plan_image_add(&area->image, at(starts[i]),
			       (uint64_t)(starts[i + 1] - starts[i]), NULL);
	vector_push(&area->image.plt,
		    ((struct image_range){at(sample_plt), at(sample_word)}));
	vector_push(&area->image.links,
		    ((struct image_link){at(sample_word), at(sample_leaf)}));
	whole_area_make(area, &request, first_slot);
	begin_bank(area->plan);
}

static uint64_t lost_count(uint32_t function)
{
	return bank.slots[function * PLAN_GATE_SLOTS + PLAN_GATE_SLOTS - 2];
}

/* Where the original of a call returns to. */
static uint64_t original_return(const struct plan *plan, uint64_t address)
{
	uint64_t original = address;

	if (address - WHOLE_CODE < plan->code.count)
		assert_true(plan_return_of(plan, (uint32_t)(address - WHOLE_CODE),
					   &original));
	return original;
}

/* Calls of a function by the call that returns to an address, as gates have counted. */
static uint64_t gate_count(const struct plan *plan, uint32_t function, uint64_t address)
{
	uint32_t name = first_slot + function * PLAN_GATE_SLOTS * 8;
	uint64_t count = 0;

	for (uint64_t i = 0; i < bank.arcs.used; i++)
		if (bank.arcs.entries[i].gate == name &&
		    original_return(plan, bank.arcs.entries[i].site) == address)
			count += bank.arcs.entries[i].count;
	return count;
}

/* The counter of the stub of the call or jump at an address. */
static uint64_t stub_count(const struct plan *plan, uint64_t site)
{
	for (uint32_t i = 0; i < plan->arcs.count; i++)
		if (plan->arcs.items[i].site == site)
			return bank.slots[plan->arc_slot + i];
	fail_msg("no stub of %#lx", (unsigned long)site);
	return 0;
}

/* All calls that were counted, of all functions. */
static uint64_t all_counts(const struct plan *plan)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		sum += lost_count(i);
	for (uint64_t i = 0; i < bank.arcs.used; i++)
		sum += bank.arcs.entries[i].count;
	for (uint32_t i = 0; i < plan->arcs.count; i++)
		sum += bank.slots[plan->arc_slot + i];
	for (uint32_t i = 0; i < plan->inline_count; i++)
		sum += bank.slots[plan->inline_slot + i * INLINE_WORDS + INLINE_COUNT];
	return sum;
}

/* After so many runs of both: the word led to the callee from the second one on. Copied
 * calls pass by the stub. */
static void check_links(const struct plan *plan, unsigned runs)
{
	uint64_t passed = gate_count(plan, LEAF, at(sample_linked_1) + 5);

	if (!plan->counts_entries)
		assert_int_equal(passed, 1);
	assert_int_equal(passed + stub_count(plan, at(sample_linked_1)), runs);
	assert_int_equal(stub_count(plan, at(sample_linked_2)), runs);
}

static void check_counts(const struct whole_area *area)
{
	const struct plan *plan = area->plan;
	/* The runs call eight functions, and these all others. */
	uint64_t calls = 8 + 4 + 2 + 4 + 2 + 1;

	/* Relocated whole without a jump at its entry it has no gate. */
	if (plan->counts_entries && plan->functions.items[FIRST].map_row_count &&
	    plan->functions.items[FIRST].call_end)
		calls--;
	for (unsigned i = 1; i <= 3; i++) {
		whole_run(at(sample_first), i, 5, i);
		whole_run(at(sample_twice), i, 5, i);
		whole_run(at(sample_pointer), i, 5, i);
		whole_run(at(sample_tail), i, 5, i);
		whole_run(at(sample_carry), i, 5, i);
		assert_int_equal(gate_count(plan, LEAF, at(sample_pointer_1)), i);
		assert_int_equal(gate_count(plan, LEAF, at(sample_pointer_2)), i);
		assert_int_equal(gate_count(plan, LEAF, at(sample_pointer_3)), i);
		assert_int_equal(gate_count(plan, LEAF, at(sample_pointer_4)), i);
		assert_int_equal(gate_count(plan, FLAGS, at(sample_carry_1)), i);
		assert_int_equal(gate_count(plan, FLAGS, at(sample_carry_2)), i);
		assert_int_equal(stub_count(plan, at(sample_first) + 4), i);
		assert_int_equal(stub_count(plan, at(sample_twice_1)), i);
		assert_int_equal(stub_count(plan, at(sample_twice_2)), i);
		assert_int_equal(stub_count(plan, at(sample_tail_1)), i);
		fill_word(at(i == 1 ? sample_lazy : sample_leaf));
		whole_run(at(sample_linked), i, 5, i);
		fill_word(at(sample_leaf));
		whole_run(at(sample_tail_linked), i, 5, i);
		check_links(plan, i);
		whole_run(at(sample_far), i, 5, i);
		assert_int_equal(gate_count(plan, LEAF, at(sample_far_1) + 5), i);
		assert_int_equal(all_counts(plan), i * calls);
	}
}

static void check_results(const struct whole_area *area)
{
	for (int i = 0; i < FUNCTIONS; i++)
		for (unsigned seed = 0; seed < 32; seed++) {
			struct whole_result bare, patched;

			whole_area_show(area, false);
			bare = whole_run(at(starts[i]), seed, 3, seed);
			whole_area_show(area, true);
			patched = whole_run(at(starts[i]), seed, 3, seed);
			assert_int_equal(bare.rax, patched.rax);
		}
}

static void test_counts(void **state)
{
	struct whole_area area;

	(void)state;
	for (unsigned i = 0; i < WAYS_TO_COUNT; i++) {
		open_area(&area, ways_to_count[i].depth, ways_to_count[i].copies);
		check_counts(&area);
		check_results(&area);
		/* It has its gate behind the call, unless that is copied. */
		if (ways_to_count[i].copies)
			assert_int_equal(area.plan->functions.items[FIRST].call_end, 0);
		else if (ways_to_count[i].depth < PLAN_BLOCKS)
			assert_int_equal(area.plan->functions.items[FIRST].call_end, 9);
		whole_area_close(&area);
	}
}

/* A thread on its way: what it had when it was last seen outside of plan.code. */
struct walk {
	struct whole_area area;
	uint64_t rsp, rax, r11, counts;
	bool inside;
	size_t places;
};

static size_t uncounted(const struct plan *plan, const struct plan_position *place)
{
	size_t count = 0;

	for (size_t i = 0; i < 3; i++)
		count += place->uncounted[i] != PLAN_NO_SLOT &&
			 place->uncounted[i] / 8 >= plan->arc_slot;
	return count;
}

/* Registers and counts are what the place says, in gates and stubs. */
static void check_place(struct walk *walk, const greg_t *registers)
{
	const struct plan *plan = walk->area.plan;
	uint32_t offset = (uint32_t)((uint64_t)registers[REG_RIP] - WHOLE_CODE);
	struct plan_position place =
		plan_locate(plan, whole_original_at, &walk->area.image, offset);
	const uint64_t *stack = (const uint64_t *)(uintptr_t)registers[REG_RSP];
	bool linked = offset >= plan->link_code;
	/* From the stub of a link it goes on to the linkage table. */
	bool before =
		place.kind == PLAN_POSITION_PROBE ||
		place.kind == PLAN_POSITION_CALL_UNDO ||
		(linked && place.original == at(sample_plt)) ||
		(linked && place.original == at(sample_far_plt) && !place.recounted);

	assert_int_not_equal(place.kind, PLAN_POSITION_UNKNOWN);
	assert_int_equal(registers[REG_RSP] + place.stack, walk->rsp);
	if (place.pushed)
		assert_int_equal(stack[place.flags], walk->rax);
	else
		assert_int_equal(registers[REG_RAX], walk->rax);
	if (place.kept)
		assert_int_equal(*(const uint64_t *)(walk->rsp - PLAN_KEPT), walk->r11);
	else if (!linked)
		assert_int_equal(registers[REG_R11], walk->r11);
	assert_int_equal(all_counts(plan) + uncounted(plan, &place),
			 walk->counts + !before);
	walk->places++;
}

static void step(void *context, ucontext_t *ucontext)
{
	struct walk *walk = context;
	const struct plan *plan = walk->area.plan;
	const greg_t *registers = ucontext->uc_mcontext.gregs;
	uint64_t rip = (uint64_t)registers[REG_RIP], offset = rip - WHOLE_CODE;
	bool counting = offset < plan->gates_size ||
			(offset >= plan->arc_code && offset < plan->code.count);

	if (rip >= bank.header.arc && rip < bank.header.arc + WIRE_RESIDENT_SIZE)
		return;
	if (counting && !walk->inside) {
		walk->rsp = (uint64_t)registers[REG_RSP];
		walk->rax = (uint64_t)registers[REG_RAX];
		walk->r11 = (uint64_t)registers[REG_R11];
		walk->counts = all_counts(plan);
	}
	walk->inside = counting;
	if (counting)
		check_place(walk, registers);
}

/* The cache of the call through the linkage table to what may be anywhere; NULL: calls
 * are made in relocated code. */
static uint64_t *far_cache(const struct whole_area *area)
{
	uint32_t slot;

	if (!gates_cache_of(area->plan, at(sample_far_1) + 5, &slot))
		return NULL;
	assert_true(slot >= area->plan->inline_slot &&
		    slot < area->plan->inline_slot +
				    area->plan->inline_count * INLINE_WORDS);
	return &bank.slots[slot];
}

static void fill_cache(const struct whole_area *area, uint64_t *cache)
{
	cache[INLINE_TARGET] = at(sample_leaf);
	cache[INLINE_BODY] = gates_passed(area->plan, &area->plan->functions.items[LEAF]);
	assert_int_not_equal(cache[INLINE_BODY], 0);
}

/* An empty cache leads to the gate, and a filled one behind it. */
static void test_cached_links(void **state)
{
	struct whole_area area;

	(void)state;
	for (unsigned i = 0; i < WAYS_TO_COUNT; i++) {
		open_area(&area, ways_to_count[i].depth, ways_to_count[i].copies);
		uint64_t *cache = far_cache(&area);
		uint64_t word;

		assert_int_equal(cache == NULL, ways_to_count[i].copies);
		for (unsigned run = 0; cache && run < 4; run++) {
			assert_int_equal(whole_run(at(sample_far), 3, 5, run).rax, 9);
			assert_int_equal(
				gate_count(area.plan, LEAF, at(sample_far_1) + 5), 1);
			assert_int_equal(cache[INLINE_COUNT], run);
			fill_cache(&area, cache);
		}
		/* What the table leads to by now has its own gate. */
		memcpy(&word, (void *)(uintptr_t)at(sample_far_word), sizeof(word));
		if (cache) {
			fill_far_word(at(sample_lazy));
			assert_int_equal(whole_run(at(sample_far), 3, 5, 0).rax, 9);
			assert_int_equal(
				gate_count(area.plan, LEAF, at(sample_far_1) + 5), 2);
			assert_int_equal(cache[INLINE_COUNT], 3);
			fill_far_word(word);
		}
		whole_area_close(&area);
	}
}

static void test_places(void **state)
{
	struct walk walk;

	(void)state;
	for (unsigned way = 0; way < WAYS_TO_COUNT; way++) {
		walk = (struct walk){.places = 0};
		open_area(&walk.area, ways_to_count[way].depth,
			  ways_to_count[way].copies);
		for (unsigned round = 0; round < 3; round++) {
			for (int i = 0; i < FUNCTIONS; i++)
				whole_run_stepped(at(starts[i]), round, 2, round, step,
						  &walk);
			if (far_cache(&walk.area))
				fill_cache(&walk.area, far_cache(&walk.area));
		}
		assert_true(walk.places > 300);
		whole_area_close(&walk.area);
	}
}

/* A thread in relocated functions, and how often it was seen between a probe and its
 * call. */
struct copied_walk {
	struct whole_area area;
	uint64_t counts;
	size_t between;
};

/* Behind a probe and in front of its call it is shown the call, uncounted, and the way
 * back leads in front of the probe. */
static void step_copied(void *context, ucontext_t *ucontext)
{
	struct copied_walk *walk = context;
	const struct plan *plan = walk->area.plan;
	uint64_t offset = (uint64_t)ucontext->uc_mcontext.gregs[REG_RIP] - WHOLE_CODE;
	struct plan_position place;
	uint32_t back;

	if (offset < plan->gates_size || offset >= plan->arc_code)
		return;
	place = plan_locate(plan, whole_original_at, &walk->area.image, (uint32_t)offset);
	assert_int_not_equal(place.kind, PLAN_POSITION_UNKNOWN);
	if (place.recounted) {
		assert_int_equal(place.kind, PLAN_POSITION_MOVED);
		assert_non_null(plan_arc_at(plan, place.original));
		assert_int_equal(all_counts(plan), walk->counts + 1);
		assert_int_equal(bank.slots[place.recounted / 8],
				 stub_count(plan, place.original));
		assert_true(plan_moved_to(plan, place.original, false, &back));
		assert_int_equal(back + PROBE_COUNT_SIZE, offset);
		walk->between++;
	}
	walk->counts = all_counts(plan);
}

static void test_copied(void **state)
{
	struct copied_walk walk = {.between = 0};

	(void)state;
	open_area(&walk.area, PLAN_CALLS, true);
	for (unsigned round = 0; round < 3; round++)
		for (int i = 0; i < FUNCTIONS; i++)
			whole_run_stepped(at(starts[i]), round, 2, round, step_copied,
					  &walk);
	/* Three calls and a jump in each round. */
	assert_int_equal(walk.between, 12);
	whole_area_close(&walk.area);
}

/* What does not fit is counted as from nowhere, and nothing else changes. */
static void test_full(void **state)
{
	struct whole_area area;

	(void)state;
	open_area(&area, PLAN_ENTRIES, false);
	bank.arcs.used = WIRE_ARCS_MAX;
	whole_run(at(sample_pointer), 1, 2, 3);
	assert_int_equal(lost_count(LEAF), 4);
	/* An index without a hole ends the search, too. */
	bank.arcs.used = 1;
	for (size_t i = 0; i <= WIRE_ARCS_MASK; i++)
		bank.arcs.index[i] = 1;
	whole_run(at(sample_pointer), 1, 2, 3);
	assert_int_equal(lost_count(LEAF), 8);
	whole_area_close(&area);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_cached_links),
		cmocka_unit_test(test_places), cmocka_unit_test(test_copied),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
