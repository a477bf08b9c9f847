#include "code/count/edges_weigh.h"
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/planner/plan_create.h"
#include "image/contents.h"
#include "whole_area.h"

#include "base/cleanup.h"
#include "code/count/edges.h"
#include "x86/length.h"

#include <asm/prctl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

enum { STATUS_FLAGS = 0x8d5, WAYS = 1 << 18 };

uint64_t whole_counters[WHOLE_COUNTERS];
uint32_t whole_executed[WHOLE_TEXT_MAX], whole_calls[WHOLE_TEXT_MAX];
static uint8_t scratch[WHOLE_SCRATCH];
static uint64_t last_rip;
/* How often one instruction followed another one, by both addresses; `from` of 0: it
 * was returned to. */
struct way {
	uint32_t from, to, count;
};
static struct way ways[WAYS];

struct whole_seen {
	uint32_t *executed, *calls; /* by offset in the text */
	struct way *ways;           /* those with a count */
	size_t way_count;
};
static struct {
	whole_step *step;
	void *context;
} stepping;

extern const uint8_t area_begin[], area_text_end[], area_end[], through_word[], plain[];

/* rdi, rsi, rdx as in C; rcx: the function; r8: flags. */
uint64_t whole_enter(uint64_t a, uint64_t b, void *c, uint64_t function, uint64_t flags);
__asm__(".text\nwhole_enter:\n push %rbx\n push %rbp\n push %r12\n push %r13\n push "
	"%r14\n"
	" push %r15\n sub $8, %rsp\n mov %rcx, %r11\n mov %rsi, %r9\n mov %rdi, %r10\n"
	" xor %eax, %eax\n xor %ecx, %ecx\n xor %ebx, %ebx\n xor %ebp, %ebp\n"
	" xor %r12d, %r12d\n xor %r13d, %r13d\n xor %r14d, %r14d\n xor %r15d, %r15d\n"
	" push %r8\n popf\n call *%r11\n pushf\n andl $~0x100, (%rsp)\n popf\n add $8, "
	"%rsp\n"
	" pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n");

static uint32_t *find_way(uint64_t from, uint64_t to)
{
	size_t at = (from * 31 + to) * 0x9e3779b97f4a7c15ull >> 40 & (WAYS - 1);

	while (ways[at].count && (ways[at].from != from || ways[at].to != to))
		at = (at + 1) & (WAYS - 1);
	ways[at].from = (uint32_t)from;
	ways[at].to = (uint32_t)to;
	return &ways[at].count;
}

static void on_trap(int signal, siginfo_t *info, void *ucontext)
{
	(void)signal;
	(void)info;
	stepping.step(stepping.context, ucontext);
}

void whole_area_open(struct whole_area *area, const uint8_t *bytes, size_t text,
		     size_t size, enum image_type type)
{
	/* Below the stack pointer nothing is changed by steps. */
	static uint8_t room[65536];
	const stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction action = {.sa_sigaction = on_trap,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK};
	void *at = mmap((void *)(uintptr_t)WHOLE_ADDRESS, WHOLE_SIZE,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_equal(at, (void *)(uintptr_t)WHOLE_ADDRESS);
	assert_true(text <= WHOLE_TEXT_MAX && size < WHOLE_CODE - WHOLE_ADDRESS);
	assert_int_equal(sigaltstack(&stack, NULL), 0);
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
	area->plan = NULL;
	area->frequencies = NULL;
	area->points = NULL;
	area->depth = PLAN_BLOCKS;
	area->edges = area->joined = 0;
	area->copies_calls = area->live = area->flags = false;
	area->text = text;
	area->size = size;
	area->bare = malloc(size);
	memcpy(area->bare, bytes, size);
	plan_image_init(&area->image, WHOLE_ADDRESS, area->bare, text);
	area->image.type = type;
	area->image.size = size;
	if (size > text)
		vector_push(&area->image.segments,
			    ((struct image_segment){.address = WHOLE_ADDRESS + text,
						    .file_offset = text,
						    .file_size = size - text,
						    .memory_size = size - text}));
}

void whole_area_fill(const struct whole_area *area, bool with_code)
{
	/* Neither fixup is needed: the bank begins with slot 0, and nothing is moved. */
	if (with_code)
		memcpy((void *)(uintptr_t)WHOLE_CODE, area->plan->code.items,
		       area->plan->code.count);
	else
		memset((void *)(uintptr_t)WHOLE_CODE, 0xf4, area->plan->code.count);
}

void whole_area_plan(struct whole_area *area)
{
	struct plan_request request = {.image = &area->image,
				       .probe = area->flags ? PLAN_PROBE_FLAG
							    : PLAN_PROBE_COUNT,
				       .depth = area->depth,
				       .code_address = WHOLE_CODE,
				       .copy_calls = area->copies_calls,
				       .live = area->live,
				       .frequencies = area->frequencies,
				       .points = area->points,
				       .hook_layout.points = area->point_layout};
	struct trm_error *error = plan_create(&request, &area->plan);

	if (error)
		fail_msg("%s", error->message);
	assert_true(area->plan->slot_count < WHOLE_COUNTERS);
	assert_true(area->plan->code.count < WHOLE_SIZE - (WHOLE_CODE - WHOLE_ADDRESS));
	whole_area_fill(area, true);
	memset(whole_counters, 0, sizeof(whole_counters));
	memset(whole_executed, 0, sizeof(whole_executed));
	memset(whole_calls, 0, sizeof(whole_calls));
	memset(ways, 0, sizeof(ways));
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, whole_counters), 0);
}

void whole_area_make(struct whole_area *area, const struct plan_request *request,
		     uint32_t first_slot)
{
	assert_null(plan_create(request, &area->plan));
	whole_area_fill(area, true);
	vector_for_each (&area->plan->fixups, fixup) {
		uint8_t *word = (uint8_t *)(uintptr_t)WHOLE_CODE + fixup->offset;
		uint32_t value;

		memcpy(&value, word, sizeof(value));
		value += first_slot;
		memcpy(word, &value, sizeof(value));
	}
	whole_area_show(area, true);
}

void whole_area_close(struct whole_area *area)
{
	plan_destroy(area->plan);
	plan_image_deinit(&area->image);
	free(area->bare);
	munmap((void *)(uintptr_t)WHOLE_ADDRESS, WHOLE_SIZE);
}

void whole_area_show(const struct whole_area *area, bool patched)
{
	memcpy((void *)(uintptr_t)WHOLE_ADDRESS, area->bare, area->size);
	if (!patched)
		return;
	vector_for_each (&area->plan->patches, patch)
		memcpy((void *)(uintptr_t)patch->address, patch->bytes, patch->size);
	vector_for_each (&area->plan->calls, call)
		memcpy((void *)(uintptr_t)call->address, &call->displacement,
		       sizeof(call->displacement));
}

static struct whole_result run(uint64_t address, uint64_t a, uint64_t b, unsigned seed,
			       uint64_t flags)
{
	struct whole_result result;

	for (size_t i = 0; i < sizeof(scratch); i++)
		scratch[i] = (uint8_t)((seed + i) * 0x9e3779b1u >> 13);
	flags |= 2 | (seed * 0x9e3779b1u >> 7 & STATUS_FLAGS);
	result.rax = whole_enter(a, b, scratch, address, flags);
	memcpy(result.scratch, scratch, sizeof(scratch));
	return result;
}

struct whole_result whole_run(uint64_t address, uint64_t a, uint64_t b, unsigned seed)
{
	return run(address, a, b, seed, 0);
}

struct whole_result whole_run_stepped(uint64_t address, uint64_t a, uint64_t b,
				      unsigned seed, whole_step *step, void *context)
{
	stepping.step = step;
	stepping.context = context;
	last_rip = 0;
	return run(address, a, b, seed, TRAP_FLAG);
}

static bool is_call(const uint8_t *bytes)
{
	unsigned at = (*bytes & 0xf0) == 0x40;

	return bytes[at] == 0xe8 || (bytes[at] == 0xff && (bytes[at + 1] & 0x38) == 0x10);
}

void whole_note_step(void *context, ucontext_t *ucontext)
{
	const struct whole_area *area = context;
	uint64_t rip = (uint64_t)ucontext->uc_mcontext.gregs[REG_RIP], before = last_rip;
	const struct plan_function *function = plan_function_at(area->plan, rip);
	const uint8_t *code = (const uint8_t *)(uintptr_t)rip;

	last_rip = rip;
	if (rip - WHOLE_ADDRESS >= area->text)
		return;
	/* Each round of a repeated string instruction is a step. */
	if (rip == before && (*code == 0xf2 || *code == 0xf3))
		return;
	whole_executed[rip - WHOLE_ADDRESS]++;
	if (before) {
		bool returned = (*(const uint8_t *)(uintptr_t)before & 0xf6) == 0xc2;

		++*find_way(returned ? 0 : before, rip);
	}
	if (function && function->address == rip &&
	    (before - rip >= function->size ||
	     is_call((const uint8_t *)(uintptr_t)before)))
		whole_calls[rip - WHOLE_ADDRESS]++;
}

static uint32_t *copy_counts(const uint32_t *counts, size_t count)
{
	return memcpy(malloc(count * sizeof(*counts)), counts, count * sizeof(*counts));
}

struct whole_seen *whole_seen_keep(const struct whole_area *area)
{
	struct whole_seen *seen = malloc(sizeof(*seen));

	*seen = (struct whole_seen){
		.executed = copy_counts(whole_executed, area->text),
		.calls = copy_counts(whole_calls, area->text),
		.ways = malloc(sizeof(ways)),
	};
	for (size_t i = 0; i < WAYS; i++)
		if (ways[i].count)
			seen->ways[seen->way_count++] = ways[i];
	seen->ways = realloc(seen->ways, (seen->way_count + 1) * sizeof(*seen->ways));
	return seen;
}

void whole_seen_use(const struct whole_area *area, const struct whole_seen *seen)
{
	memcpy(whole_executed, seen->executed, area->text * sizeof(uint32_t));
	memcpy(whole_calls, seen->calls, area->text * sizeof(uint32_t));
	for (size_t i = 0; i < seen->way_count; i++)
		*find_way(seen->ways[i].from, seen->ways[i].to) = seen->ways[i].count;
}

void whole_seen_free(struct whole_seen *seen)
{
	if (!seen)
		return;
	free(seen->executed);
	free(seen->calls);
	free(seen->ways);
	free(seen);
}

/* The address of the last instruction of a block. */
static uint64_t last_of(const struct whole_area *area,
			const struct plan_function *function,
			const struct plan_block *block)
{
	uint64_t at = function->address + block->offset, end = at + block->size;
	struct brief brief;

	for (;; at += brief.length) {
		assert_true(
			length_decode(area->bare + at - WHOLE_ADDRESS, end - at, &brief));
		if (at + brief.length == end)
			return at;
	}
}

static void check_edge(struct whole_area *area, const struct plan_function *function,
		       const struct edges_counts *counts, uint32_t number)
{
	const struct plan_edge *edges = &area->plan->edges.items[function->first_edge];
	const struct plan_block *blocks =
		&area->plan->blocks.items[function->first_block];
	const struct plan_edge *edge = &edges[number];
	uint64_t from = last_of(area, function, &blocks[edge->from]), found = 0;
	uint64_t to = function->address + blocks[edge->to].offset;

	if (edge->flags & PLAN_EDGE_JOINED) {
		area->joined++;
		return;
	}
	if (is_call(area->bare + from - WHOLE_ADDRESS))
		from = 0;
	/* A branch to what follows it. */
	for (uint32_t i = 0; i < function->edge_count; i++)
		if (edges[i].from == edge->from && edges[i].to == edge->to)
			found += counts->edges[i];
	area->edges++;
	if (found != *find_way(from, to))
		fail_msg("%s+%u: %lu times to +%u, not %u",
			 area->plan->names.items + function->name,
			 blocks[edge->from].offset, (unsigned long)found,
			 blocks[edge->to].offset, *find_way(from, to));
}

static void check_edges(struct whole_area *area, const struct plan_function *function,
			const struct edges_counts *counts)
{
	for (uint32_t i = 0; i < function->edge_count; i++)
		if (area->plan->edges.items[function->first_edge + i].to != PLAN_EDGE_OUT)
			check_edge(area, function, counts, i);
}

/* Instructions by the weights of slots are those by the counts of blocks. */
static void check_weights(const struct whole_area *area,
			  const struct plan_function *function,
			  const struct edges_counts *counts)
{
	const struct plan *plan = area->plan;
	scoped_free int64_t *weights =
		memory_allocate_zeroed(plan->slot_count, sizeof(*weights));
	uint64_t wanted = 0, found = 0;

	for (uint32_t i = 0; i < function->block_count; i++)
		wanted += counts->blocks[i] *
			  plan->blocks.items[function->first_block + i].instructions;
	edges_weigh(plan, function, weights);
	for (uint32_t i = 0; i < plan->slot_count; i++)
		found += (uint64_t)weights[i] * whole_counters[i];
	assert_int_equal(found, wanted);
}

static void check_function(struct whole_area *area, const struct plan_function *function)
{
	struct edges_counts counts = {0};
	const struct plan *plan = area->plan;
	const char *name = plan->names.items + function->name;
	size_t at = function->address - WHOLE_ADDRESS;
	uint32_t size = 0, fault;

	if (function->reason)
		return;
	if (function->edge_count &&
	    !edges_solve(plan, function, whole_counters, NULL, &counts, &fault))
		fail_msg("%s: no flow, at block %u", name, fault);
	if (whole_counters[function->slot] != whole_calls[at])
		fail_msg("%s: %lu calls, not %u", name,
			 (unsigned long)whole_counters[function->slot], whole_calls[at]);
	for (uint32_t i = 0; i < function->block_count; i++) {
		const struct plan_block *block =
			&plan->blocks.items[function->first_block + i];
		uint32_t wanted = whole_executed[at + block->offset];
		uint64_t found = counts.blocks
					 ? counts.blocks[i]
					 : plan_block_count(plan, block, whole_counters);

		assert_int_equal(block->offset, size);
		size += block->size;
		if (found != wanted)
			fail_msg("%s+%u: %lu times, not %u", name, block->offset,
				 (unsigned long)found, wanted);
	}
	assert_true(!size || size == function->size);
	if (counts.blocks) {
		assert_int_equal(counts.calls, whole_calls[at]);
		check_edges(area, function, &counts);
		check_weights(area, function, &counts);
	}
	edges_counts_deinit(&counts);
}

void whole_check_counts(struct whole_area *area)
{
	vector_for_each (&area->plan->functions, function)
		check_function(area, function);
}

const uint8_t *whole_original_at(void *context, uint64_t address, size_t size)
{
	return image_bytes_at(context, address, size);
}

void whole_area_plan_again(struct whole_area *area, const struct frequencies *frequencies)
{
	plan_destroy(area->plan);
	area->frequencies = frequencies;
	whole_area_plan(area);
}

/* What is known of a function, of eight. */
enum { NOTHING_BUT_THAT = 2, BLOCKS_ALONE };

struct frequencies whole_draw_frequencies(const struct plan *plan, uint32_t seed)
{
	struct frequencies drawn = {0};

	vector_for_each (&plan->functions, function) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t shape = seed >> 16 & 7;
		uint32_t blocks = shape == NOTHING_BUT_THAT ? 0 : function->block_count;
		uint32_t edges = shape <= BLOCKS_ALONE ? 0 : function->edge_count;
		uint32_t count = blocks + edges;

		if (shape < NOTHING_BUT_THAT)
			continue;
		vector_push(&drawn.rows,
			    ((struct frequencies_row){function->address, blocks, edges,
						      drawn.values.count}));
		while (count--) {
			seed = seed * 1664525u + 1013904223u;
			vector_push(&drawn.values,
				    (frequency)(seed % 3 ? seed >> 16 : 0));
		}
	}
	assert_true(frequencies_are_sound(&drawn));
	return drawn;
}

void whole_routines_open(struct whole_area *area, enum image_type type,
			 enum plan_depth depth)
{
	uint64_t word = WHOLE_ADDRESS + (uint64_t)(plain - area_begin);

	whole_area_open(area, area_begin, (size_t)(area_text_end - area_begin),
			(size_t)(area_end - area_begin), type);
	area->depth = depth;
	memcpy(area->bare + (through_word - area_begin), &word, sizeof(word));
	for (const struct whole_routine *row = first_function; row < last_function; row++)
		plan_image_add(&area->image,
			       WHOLE_ADDRESS + (uint64_t)(row->start - area_begin),
			       row->size, row->name);
	whole_area_plan(area);
}

bool whole_routine_runs(const char *name, enum image_type type)
{
	/* They need another caller, or end the process. */
	static const char *const others[] = {"emulated_stack", "through_stack_inner",
					     "repeated",       "undefined",
					     "leaver",         "goto_frame"};

	/* Their words need relocations there. */
	static const char *const fixed[] = {"switch_fixed", "goto_words", "goto_sum"};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (type == IMAGE_DYNAMIC && !strcmp(name, fixed[i]))
			return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name, others[i]))
			return false;
	return true;
}
