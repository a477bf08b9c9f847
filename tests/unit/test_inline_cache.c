/*
 * Calls with inline caches: code is run with caches that are empty, filled, and of
 * another function, with the bank and the resident's code that a program has, and stopped
 * at every instruction on the way.
 */
enum { BANK_SLOTS = 1024 };
#include "code/calls/gate_layout.h"
#include "code/calls/gates.h"
#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/plan/position.h"
#include "code/plan/request.h"
#include "code/relocate/inline_cache.h"
#include "gate_bank.h"
#include "wire/bank.h"
#include "wire/graph.h"

#include <stdlib.h>

/* Each form of a call, all of sample_leaf; r11 and the flags that are alive stay. */
__asm__(".text\n.balign 16\nsample_begin:\n"
	"sample_leaf: lea 1(%rdi), %rax\n add %rsi, %rax\n ret\n"
	".balign 16\n"
	"sample_other: lea 2(%rdi), %rax\n ret\n"
	".balign 16\n"
	"sample_registers: push %rbx\n push %r12\n push %rbp\n nopl 8(%rax)\n"
	" lea sample_leaf(%rip), %rbx\n mov %rbx, %r12\n mov %rbx, %rbp\n"
	" call *%rbx\n mov %rax, %rdi\n call *%r12\n mov %rax, %rdi\n"
	" call *%rbp\n mov %rax, %rdi\n mov %r12, %r11\n call *%r11\n"
	" pop %rbp\n pop %r12\n pop %rbx\n ret\n"
	".balign 16\n"
	"sample_memory: push %rbx\n push %r13\n sub $40, %rsp\n nopl 8(%rax)\n"
	" lea sample_word(%rip), %rbx\n mov (%rbx), %rax\n mov %rax, 16(%rsp)\n"
	" mov $7, %r11d\n mov $2, %r13d\n"
	" call *16(%rsp)\n mov %rax, %rdi\n"
	" call *sample_word(%rip)\n mov %rax, %rdi\n"
	" call *(%rbx)\n mov %rax, %rdi\n"
	" call *-16(%rbx,%r13,8)\n mov %rax, %rdi\n"
	" mov %rbx, %r11\n call *(%r11)\n mov %rax, %rdi\n"
	" sub $1024, %rbx\n notrack call *1024(%rbx)\n"
	" add $40, %rsp\n pop %r13\n pop %rbx\n ret\n"
	".balign 16\n"
	"sample_linkage: sub $8, %rsp\n nopl 8(%rax)\n call sample_plt\n"
	" mov %rax, %rdi\n call sample_plt\n add $8, %rsp\n ret\n"
	/* Farther than a jump within a function. */
	".balign 16\nsample_code_end: .fill 192, 1, 0xcc\n"
	"sample_plt: endbr64\n jmp *sample_word(%rip)\n nopl 0(%rax)\n"
	".balign 16\nsample_word: .quad sample_leaf - sample_begin + 0x20000000\n"
	".balign 16\nsample_end:\n");

extern const uint8_t sample_begin[], sample_leaf[], sample_other[], sample_registers[],
	sample_memory[], sample_linkage[], sample_code_end[], sample_plt[], sample_word[],
	sample_end[];

enum { LEAF, OTHER, REGISTERS, MEMORY, LINKAGE, FUNCTIONS };
static const uint8_t *const starts[] = {sample_leaf,   sample_other,   sample_registers,
					sample_memory, sample_linkage, sample_code_end};
enum { CALLS = 4 + 6 + 2 };

/* In calls alone, or beside counters of blocks. */
static void open_area(struct whole_area *area, enum plan_depth depth)
{
	size_t size = (size_t)(sample_end - sample_begin);
	struct plan_request request = {.image = &area->image,
				       .probe = PLAN_PROBE_COUNT,
				       .depth = depth,
				       .calls = true,
				       .copy_calls = true,
				       .code_address = WHOLE_CODE,
				       .hook_layout = {.arc = WIRE_BANK_ARC}};

	whole_area_open(area, sample_begin, size, size, IMAGE_DYNAMIC);
	area->copies_calls = true;
	for (int i = 0; i < FUNCTIONS; i++)
		plan_image_add(&area->image, at(starts[i]),
			       (uint64_t)(starts[i + 1] - starts[i]), NULL);
	vector_push(&area->image.plt,
		    ((struct image_range){at(sample_plt), at(sample_word)}));
	whole_area_make(area, &request, first_slot);
	assert_int_equal(area->plan->inline_count, CALLS);
	begin_bank(area->plan);
}

static uint64_t *cache(const struct plan *plan, uint32_t number)
{
	return &bank.slots[plan->inline_slot + number * INLINE_WORDS];
}

static uint64_t table_sum(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < bank.arcs.used; i++)
		sum += bank.arcs.entries[i].count;
	return sum;
}

static uint64_t cache_sum(const struct plan *plan)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < CALLS; i++)
		sum += cache(plan, i)[INLINE_COUNT];
	return sum;
}

/* The number of the pair's cache, of calls of whose code an entry of the table tells. */
static uint32_t cache_of(const struct plan *plan, const struct wire_arc *entry)
{
	uint32_t slot;

	if (!inline_cache_of(plan, (uint32_t)(entry->site - WHOLE_CODE), &slot))
		return UINT32_MAX;
	assert_int_equal((slot - plan->inline_slot) % INLINE_WORDS, 0);
	return (slot - plan->inline_slot) / INLINE_WORDS;
}

/* All caches, by what the table tells. */
static void fill_caches(const struct plan *plan, uint32_t function)
{
	const struct plan_function *callee = &plan->functions.items[function];
	unsigned filled = 0;

	for (uint32_t i = 0; i < bank.arcs.used; i++) {
		uint32_t number = cache_of(plan, &bank.arcs.entries[i]);

		if (number == UINT32_MAX)
			continue;
		cache(plan, number)[INLINE_TARGET] = callee->address;
		cache(plan, number)[INLINE_BODY] = gates_passed(plan, callee);
		cache(plan, number)[INLINE_ENTRY] = i + 1;
		filled++;
	}
	assert_int_equal(filled, CALLS);
}

/* How the functions end that make calls, and end in the bare code. */
static void run_all(const struct whole_area *area, unsigned seed)
{
	for (int i = REGISTERS; i < FUNCTIONS; i++) {
		struct whole_result bare, patched;

		whole_area_show(area, false);
		bare = whole_run(at(starts[i]), seed, 3, seed);
		whole_area_show(area, true);
		patched = whole_run(at(starts[i]), seed, 3, seed);
		assert_int_equal(bare.rax, patched.rax);
	}
}

/* The counts of what is called of the sample alone; of what makes calls the runs are. */
enum { RUNS = 3 };

static void test_counts(void **state)
{
	static const enum plan_depth depths[] = {PLAN_CALLS, PLAN_BLOCKS, PLAN_EDGES};
	struct whole_area area;

	(void)state;
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		open_area(&area, depths[i]);
		/* Empty, filled, and of another function. */
		run_all(&area, 1);
		assert_int_equal(table_sum(), CALLS + RUNS);
		assert_int_equal(cache_sum(area.plan), 0);
		fill_caches(area.plan, LEAF);
		for (unsigned seed = 1; seed <= 4; seed++) {
			run_all(&area, seed);
			assert_int_equal(table_sum(), CALLS + RUNS + seed * RUNS);
			assert_int_equal(cache_sum(area.plan), seed * CALLS);
			for (uint32_t k = 0; k < CALLS; k++)
				assert_int_equal(cache(area.plan, k)[INLINE_COUNT], seed);
		}
		for (uint32_t k = 0; k < CALLS; k++)
			cache(area.plan, k)[INLINE_TARGET] = at(sample_other);
		run_all(&area, 5);
		assert_int_equal(table_sum(), 2 * CALLS + 6 * RUNS);
		assert_int_equal(cache_sum(area.plan), 4 * CALLS);
		whole_area_close(&area);
	}
}

/* What returns to an offset of plan.code has one original, be it the call with the cache
 * or the one behind the blocks. */
static void test_returns(void **state)
{
	struct whole_area area;
	uint32_t slot;
	uint64_t original, first[CALLS] = {0};
	unsigned found[CALLS] = {0};

	(void)state;
	open_area(&area, PLAN_CALLS);
	for (uint32_t i = 0; i <= area.plan->code.count; i++) {
		if (!plan_return_of(area.plan, i, &original) ||
		    !inline_cache_of(area.plan, i, &slot))
			continue;
		slot = (slot - area.plan->inline_slot) / INLINE_WORDS;
		assert_true(slot < CALLS);
		assert_true(!first[slot] || first[slot] == original);
		first[slot] = original;
		found[slot]++;
	}
	for (unsigned i = 0; i < CALLS; i++)
		assert_int_equal(found[i], 2);
	whole_area_close(&area);
}

/* A thread on its way through calls. */
struct walk {
	struct whole_area area;
	uint64_t r11, counts; /* in front of the call */
	size_t compared, recounted, kept;
};

/* In the middle of a call it is shown the call, and the way back leads to its beginning;
 * what it has counted is told, and where r11 is. */
static void step(void *context, ucontext_t *ucontext)
{
	struct walk *walk = context;
	const struct plan *plan = walk->area.plan;
	const greg_t *registers = ucontext->uc_mcontext.gregs;
	uint64_t offset = (uint64_t)registers[REG_RIP] - WHOLE_CODE;
	struct plan_position place;
	uint32_t back, slot;
	bool compared;

	if (offset < plan->gates_size || offset >= plan->arc_code)
		return;
	place = plan_locate(plan, whole_original_at, &walk->area.image, (uint32_t)offset);
	assert_int_equal(place.kind, PLAN_POSITION_MOVED);
	assert_int_equal(place.stack, 0);
	assert_true(plan_moved_to(plan, place.original, false, &back));
	compared = inline_cache_has_compared(plan, (uint32_t)offset, &slot);
	if (back == offset) {
		walk->r11 = (uint64_t)registers[REG_R11];
		walk->counts = cache_sum(plan);
		assert_false(compared || place.recounted || place.kept);
		return;
	}
	walk->compared += compared;
	walk->recounted += place.recounted != 0;
	walk->kept += place.kept != 0;
	assert_int_equal(cache_sum(plan), walk->counts + (place.recounted != 0));
	if (place.recounted) {
		assert_true(compared);
		assert_int_equal(place.recounted / 8, slot + INLINE_COUNT);
	}
	if (place.kept)
		assert_int_equal(*(const uint64_t *)(registers[REG_RSP] - PLAN_KEPT),
				 walk->r11);
	else if (place.original < at(sample_linkage))
		assert_int_equal(registers[REG_R11], walk->r11);
}

static void run_stepped(struct walk *walk, unsigned seed)
{
	for (int i = REGISTERS; i < FUNCTIONS; i++)
		whole_run_stepped(at(starts[i]), seed, 2, seed, step, walk);
}

static void test_places(void **state)
{
	/* A branch, its reload in front of it where r11 was kept, and with the target
	 * found a counter and a call. */
	enum { KEPT = 6, MISSED = CALLS + KEPT, FOUND = MISSED + 2 * CALLS };
	struct walk walk = {.compared = 0};

	(void)state;
	open_area(&walk.area, PLAN_CALLS);
	run_stepped(&walk, 1);
	assert_int_equal(walk.compared, MISSED);
	assert_int_equal(walk.recounted, 0);
	/* In front of the load, the comparison and the reload. */
	assert_int_equal(walk.kept, 3 * KEPT);
	fill_caches(walk.area.plan, LEAF);
	run_stepped(&walk, 2);
	assert_int_equal(walk.compared, MISSED + FOUND);
	assert_int_equal(walk.recounted, CALLS);
	whole_area_close(&walk.area);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
