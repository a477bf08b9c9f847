/*
 * Functions whose points call routines in the program are run side by side with the bare
 * ones: the same results and memory, though the routines change all that they may.
 */
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/points/recipe.h"
#include "code/relocate/cfg.h"
#include "resident/resident.h"
#include "sanitized.h"
#include "whole_maker.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/layout.h"
#include "wire/spans.h"

#include <asm/prctl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

enum {
	BATCHES = TIMES(2, 1),
	SLOTS = 1 << 12,
	OWNER_DIED = 0x40000000,
	ROUTINES = 2,
	AREA = WIRE_BANKS_OFFSET,
};

/* The bank of the thread: its header, the stack of routines, and counters. */
static union {
	struct wire_bank header;
	struct {
		uint8_t head[WIRE_BANK_HEADER];
		struct wire_spans spans;
		uint64_t slots[SLOTS];
	};
} * bank;
static struct wire_control *control;

/* What the routines saw. */
static uint64_t call_count, wrong, vector_count;

/* All registers that a routine may change are changed. */
#define CHANGE_REGISTERS                                                                 \
	__asm__ volatile("mov $-1, %%rax\n mov %%rax, %%rcx\n mov %%rax, %%rdx\n"        \
			 "mov %%rax, %%rsi\n mov %%rax, %%rdi\n mov %%rax, %%r8\n"       \
			 "mov %%rax, %%r9\n mov %%rax, %%r10\n mov %%rax, %%r11\n"       \
			 "xor %%eax, %%eax\n dec %%rax\n"                                \
			 :                                                               \
			 :                                                               \
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",  \
			   "cc", "memory")

__attribute__((no_sanitize("address"))) static void
see_call(uint64_t id, uint64_t twice, uint64_t address, uint64_t third)
{
	call_count++;
	wrong += twice != 2 * id || third != id + 3 || !address;
	CHANGE_REGISTERS;
}

__attribute__((no_sanitize("address"))) static void see_vectors(uint64_t id)
{
	vector_count += id != 0;
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n pcmpeqd %%xmm1, %%xmm1\n"
			 "pcmpeqd %%xmm2, %%xmm2\n pcmpeqd %%xmm15, %%xmm15\n fninit\n"
			 :
			 :
			 : "xmm0", "xmm1", "xmm2", "xmm15", "st");
	CHANGE_REGISTERS;
}

static void list_points(void *context, const struct point_function *function,
			struct points *ret_points)
{
	(void)context;
	for (uint32_t i = 0; function->cfg && i < function->cfg->instructions.count;
	     i += 4)
		vector_push(&ret_points->items,
			    ((struct point){.at = i, .where = POINT_BEFORE}));
}

static void emit_point(void *context, const struct point_function *function,
		       const struct point *point, struct recipe *recipe)
{
	static const struct recipe_routine routines[ROUTINES] = {
		{.word = 0, .changes = RECIPE_CHANGES_ABI},
		{.word = 1, .changes = RECIPE_CHANGES_ABI, .vectors = true},
	};
	const int64_t id = point->at + 1;
	const int twice = recipe_take(recipe), third = recipe_take(recipe);

	(void)context;
	(void)function;
	recipe_value(recipe, twice, (struct recipe_value){.constant = 2 * id});
	recipe_value(recipe, third, (struct recipe_value){.constant = id + 3});
	recipe_call(recipe, &routines[0],
		    (const struct recipe_value[]){
			    {.constant = id},
			    recipe_taken(twice),
			    {.kind = RECIPE_PC},
			    recipe_taken(third),
		    },
		    4);
	recipe_give_back(recipe, twice);
	recipe_give_back(recipe, third);
	if (point->at % 3 == 0)
		recipe_call(recipe, &routines[1],
			    &(const struct recipe_value){.constant = id}, 1);
}

static const struct point_source source = {.list = list_points, .emit = emit_point};
static const struct point_sources sources = {.count = 1, .items = {&source}};

static void make_bank(void)
{
	uint8_t *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(area, MAP_FAILED);
	memcpy(area, resident_image, resident_image_size);
	control = (struct wire_control *)(void *)(area + WIRE_CONTROL_OFFSET);
	control->routines[0] = (uintptr_t)see_call;
	control->routines[1] = (uintptr_t)see_vectors;
	bank = aligned_alloc(4096, (sizeof(*bank) + 4095) / 4096 * 4096);
	memset(bank, 0, sizeof(*bank));
	bank->header.self = (uintptr_t)bank;
	bank->header.control = (uintptr_t)control;
	bank->header.tool = (uintptr_t)area + resident_table()->tool_call;
	bank->header.tool_unmask = (uintptr_t)area + resident_table()->tool_unmask;
}

static void plan_calls(struct whole_area *area, bool copies)
{
	const struct plan_request request = {
		.image = &area->image,
		.depth = PLAN_POINTS,
		.code_address = WHOLE_CODE,
		.copy_calls = copies,
		.points = &sources,
		.hook_layout.points = {.self = WIRE_BANK_SELF,
				       .thread = WIRE_BANK_TID,
				       .untimed = WIRE_BANK_UNTIMED,
				       .control = WIRE_BANK_CONTROL,
				       .dead = OWNER_DIED,
				       .call = WIRE_BANK_TOOL,
				       .masked = WIRE_SPANS_MASKED,
				       .unmask = WIRE_BANK_TOOL_UNMASK},
	};

	whole_area_make(area, &request, WIRE_SPANS_STACK_TOP);
	assert_true(area->plan->slot_count <= SLOTS);
	assert_true(area->plan->code.count < WHOLE_SIZE - (WHOLE_CODE - WHOLE_ADDRESS));
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, bank), 0);
}

static void run_all(const struct maker *maker, struct whole_result *results)
{
	for (unsigned i = LEAVES; i < FUNCTIONS; i++)
		results[i] =
			whole_run(WHOLE_ADDRESS + maker->starts[i], i & 1 ? i : 0, 5, i);
}

static void run_made(struct maker *maker, uint32_t seed)
{
	static struct whole_result bare[FUNCTIONS], with[FUNCTIONS];
	struct whole_area area;

	maker_make(maker, seed);
	maker_open(maker, &area);
	plan_calls(&area, true);
	whole_area_show(&area, false);
	run_all(maker, bare);
	whole_area_show(&area, true);
	run_all(maker, with);
	for (unsigned i = LEAVES; i < FUNCTIONS; i++)
		if (memcmp(&bare[i], &with[i], sizeof(with[i])))
			fail_msg("function %u at %#x differs", i,
				 WHOLE_ADDRESS + maker->starts[i]);
	whole_area_close(&area);
}

static void test_calls(void **state)
{
	struct maker *maker = malloc(sizeof(*maker));
	uint64_t before;

	(void)state;
	make_bank();
	for (uint32_t seed = 1; seed <= BATCHES; seed++)
		run_made(maker, seed);
	assert_int_equal(wrong, 0);
	print_message("%lu calls, %lu of vectors\n", (unsigned long)call_count,
		      (unsigned long)vector_count);
	assert_true(call_count > 2000 && vector_count > 500);
	/* Nothing is called on a busy stack, nor the tracer's death, nor a routine
	 * without an address.
	 */
	before = call_count;
	bank->spans.busy = 1;
	run_made(maker, 1);
	bank->spans.busy = 0;
	control->owner[0] = OWNER_DIED;
	run_made(maker, 1);
	control->owner[0] = 0;
	control->routines[0] = 0;
	run_made(maker, 1);
	assert_int_equal(call_count, before);
	free(maker);
	free(bank);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
