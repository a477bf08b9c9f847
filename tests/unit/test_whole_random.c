/*
 * Functions made by chance, relocated whole and run side by side with the bare ones: the
 * same registers, flags where they are looked at, memory and counts.
 */
#include "whole_area.h"

#include "code/edges.h"
#include "code/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
	BATCHES = 10,
	VISITED = 4,     /* of them, with a plan that comes and goes */
	FUNCTIONS = 220, /* in a batch */
	LEAVES = 4,      /* of them, the first ones: they call nothing */
	BLOCKS_MAX = 12,
	FIXUPS_MAX = 256,
	TABLES_MAX = 64,
	TEXT = 1 << 17,
	DATA = 1 << 15,
	STEPS = 4, /* blocks that a call goes through at most, by its fuel in r15 */
};

/* A displacement of `size` bytes at `at` that is to lead to a block; of a table's entry,
 * from the table's start. */
struct hole {
	uint32_t at, block, base;
	uint8_t size;
};

struct maker {
	uint32_t random;
	uint32_t count;      /* bytes of code */
	uint32_t data_count; /* bytes of tables */
	uint32_t starts[FUNCTIONS];
	uint32_t blocks[BLOCKS_MAX + 1]; /* of the function in the making */
	struct hole holes[FIXUPS_MAX];
	uint32_t hole_count, block_count, number;
	bool switches; /* the function may have some */
	uint8_t bytes[TEXT + DATA];
};

static uint32_t draw(struct maker *maker, uint32_t below)
{
	maker->random = maker->random * 1664525u + 1013904223u;
	return (maker->random >> 8) % below;
}

static void put(struct maker *maker, const uint8_t *bytes, size_t size)
{
	assert_true(maker->count + size < TEXT);
	memcpy(maker->bytes + maker->count, bytes, size);
	maker->count += (uint32_t)size;
}

#define PUT(maker, ...)                                                                  \
	put(maker, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put_word(struct maker *maker, uint32_t word)
{
	put(maker, (const uint8_t *)&word, sizeof(word));
}

/* A displacement in code, that ends where the instruction does. */
static void put_hole(struct maker *maker, uint32_t block, uint8_t size)
{
	assert_true(maker->hole_count < FIXUPS_MAX);
	maker->holes[maker->hole_count++] = (struct hole){.at = maker->count,
							  .block = block,
							  .base = maker->count + size,
							  .size = size};
	put(maker, (const uint8_t[4]){0}, size);
}

/* Of rax, rcx, rbx, rsi, rdi: what plain instructions may change. rdx is the memory. */
static uint8_t any_register(struct maker *maker)
{
	static const uint8_t registers[] = {0, 1, 3, 6, 7};

	return registers[draw(maker, sizeof(registers))];
}

static void put_plain(struct maker *maker)
{
	static const uint8_t arithmetic[] = {0x01, 0x11, 0x19, 0x29,
					     0x21, 0x09, 0x31, 0x39};
	uint8_t a = any_register(maker), b = any_register(maker);
	uint8_t both = (uint8_t)(0xc0 | a << 3 | b);
	uint8_t offset = (uint8_t)(draw(maker, 15) * 8);

	switch (draw(maker, 14)) {
	case 0 ... 4:
		PUT(maker, 0x48, arithmetic[draw(maker, 8)], both);
		return;
	case 5:
		PUT(maker, 0x48, 0x8d, (uint8_t)(0x40 | a << 3 | b), offset); /* lea */
		return;
	case 6:
		PUT(maker, 0xff,
		    (uint8_t)(0xc0 | draw(maker, 2) << 3 | a)); /* inc, dec */
		return;
	case 7:
		PUT(maker, 0x48, 0xc1, (uint8_t)(0xe0 | a), (uint8_t)draw(maker, 34));
		return;
	case 8:
		PUT(maker, 0x48, 0xd1, (uint8_t)(0xd0 | a)); /* rcl */
		return;
	case 9:
		PUT(maker, 0x0f, (uint8_t)(0x90 | draw(maker, 16)),
		    (uint8_t)(0xc0 | (a & 1))); /* setcc */
		return;
	case 10:
		PUT(maker, 0x48, 0x0f, (uint8_t)(0x40 | draw(maker, 16)), both);
		return;
	case 11:
		PUT(maker, 0x48, 0x89, (uint8_t)(0x42 | a << 3), offset); /* to memory */
		return;
	case 12:
		PUT(maker, 0x48, 0x13, (uint8_t)(0x42 | a << 3), offset); /* adc from */
		return;
	default:
		PUT(maker, 0x9f); /* lahf */
	}
}

static void put_call(struct maker *maker)
{
	uint32_t callee = draw(maker, LEAVES);

	if (draw(maker, 4)) {
		PUT(maker, 0xe8);
		put_word(maker, maker->starts[callee] - (maker->count + 4));
		return;
	}
	/* Flags are dead there, by the ABI: lea callee(%rip), %rax; call *%rax; test
	 * %rax, %rax */
	PUT(maker, 0x48, 0x8d, 0x05);
	put_word(maker, maker->starts[0] - (maker->count + 4));
	PUT(maker, 0xff, 0xd0, 0x48, 0x85, 0xc0);
}

/* lea table(%rip), %r8; and $n, %ecx; movslq (%r8,%rcx,4), %r9; add %r8, %r9;
 * jmp *%r9 */
static void put_switch(struct maker *maker)
{
	uint32_t entries = 2u << draw(maker, 3), table = TEXT + maker->data_count;

	PUT(maker, 0x4c, 0x8d, 0x05);
	put_word(maker, table - (maker->count + 4));
	PUT(maker, 0x83, 0xe1, (uint8_t)(entries - 1));
	PUT(maker, 0x4d, 0x63, 0x0c, 0x88, 0x4d, 0x01, 0xc1, 0x41, 0xff, 0xe1);
	for (uint32_t i = 0; i < entries; i++) {
		assert_true(maker->hole_count < FIXUPS_MAX &&
			    maker->data_count + 4 <= DATA);
		maker->holes[maker->hole_count++] =
			(struct hole){.at = table + 4 * i,
				      .block = 1 + draw(maker, maker->block_count),
				      .base = table,
				      .size = 4};
		maker->data_count += 4;
	}
}

/* What all ways out of the function have in common: all registers and flags but those
 * that are dead go to memory. */
static void put_return(struct maker *maker)
{
	if (maker->number >= LEAVES) {
		PUT(maker, 0x48, 0x89, 0x42, 120);        /* mov %rax, 120(%rdx) */
		PUT(maker, 0x48, 0x89, 0x8a, 0, 1, 0, 0); /* mov %rcx, 256(%rdx) */
		PUT(maker, 0x48, 0x89, 0x9a, 8, 1, 0, 0);
		PUT(maker, 0x48, 0x89, 0xb2, 16, 1, 0, 0);
		PUT(maker, 0x48, 0x89, 0xba, 24, 1, 0, 0);
		PUT(maker, 0x5b, 0x41, 0x5f); /* pop %rbx; pop %r15 */
	}
	PUT(maker, 0xc3);
}

/* How a block ends. Each goes through the fuel check of those it leads to. */
static void put_end(struct maker *maker, uint32_t block)
{
	uint32_t target = 1 + draw(maker, maker->block_count);
	uint8_t condition = (uint8_t)draw(maker, 16);

	switch (draw(maker, 9)) {
	case 0 ... 2:
		PUT(maker, 0x0f, 0x80 | condition);
		put_hole(maker, target, 4);
		return;
	case 3:
		/* A short one, over a few instructions. */
		PUT(maker, 0x70 | condition);
		put_hole(maker, block + 1, 1);
		put_plain(maker);
		return;
	case 4:
		PUT(maker, 0xe9);
		put_hole(maker, target, 4);
		return;
	case 5:
		if (maker->switches)
			put_switch(maker);
		return;
	case 6:
		PUT(maker, 0xe3); /* jrcxz */
		put_hole(maker, block + 1, 1);
		put_plain(maker);
		return;
	case 7:
		put_return(maker);
		return;
	default:
		return; /* falls */
	}
}

/* Every block of a function that is no leaf burns fuel, without a flag: lea -1(%r15),
 * %r15; xchg %rcx, %r15; jrcxz out; xchg %rcx, %r15. */
static void put_fuel(struct maker *maker)
{
	PUT(maker, 0x4d, 0x8d, 0x7f, 0xff, 0x4c, 0x87, 0xf9, 0xe3, 2, 0xeb, 5, 0xe9);
	put_hole(maker, 0, 4);
	PUT(maker, 0x4c, 0x87, 0xf9);
}

static void fill_holes(struct maker *maker)
{
	for (uint32_t i = 0; i < maker->hole_count; i++) {
		const struct hole *hole = &maker->holes[i];
		uint32_t distance = maker->blocks[hole->block] - hole->base;

		assert_true(hole->size == 4 || distance < 128);
		memcpy(maker->bytes + hole->at, &distance, hole->size);
	}
	maker->hole_count = 0;
}

/* Block 0 is where it ends without fuel, and lies last. */
static void make_function(struct maker *maker)
{
	bool leaf = maker->number < LEAVES;

	maker->starts[maker->number] = maker->count;
	maker->block_count = 1 + draw(maker, BLOCKS_MAX - 1);
	maker->switches = draw(maker, 2);
	if (!leaf)
		PUT(maker, 0x41, 0x57, 0x53, 0x41, 0xbf, STEPS, 0, 0, 0);
	else if (!maker->number)
		PUT(maker, 0x48, 0x85, 0xc0); /* called by registers */
	for (uint32_t b = 1; b <= maker->block_count; b++) {
		maker->blocks[b] = maker->count;
		/* Of the sum of a table's address and an entry, flags depend on where
		 * it lies: test %rsi, %rsi. */
		if (!leaf && maker->switches)
			PUT(maker, 0x48, 0x85, 0xf6);
		if (!leaf && draw(maker, 3))
			put_call(maker);
		if (!leaf)
			put_fuel(maker);
		for (uint32_t i = draw(maker, 6); i--;)
			put_plain(maker);
		if (!leaf && !draw(maker, 3))
			put_call(maker);
		if (!leaf && !draw(maker, 3))
			put_plain(maker);
		if (!leaf && b < maker->block_count)
			put_end(maker, b);
	}
	/* Flags may go into a call and come from it, but not pass it: add %rax, %rax. */
	if (leaf)
		PUT(maker, 0x48, 0x01, 0xc0);
	put_return(maker);
	maker->blocks[0] = maker->count;
	if (!leaf)
		put_return(maker);
	fill_holes(maker);
	maker->number++;
}

static void make_all(struct maker *maker, uint32_t seed)
{
	memset(maker, 0, sizeof(*maker));
	memset(maker->bytes, 0xcc, TEXT);
	maker->random = seed;
	while (maker->number < FUNCTIONS) {
		make_function(maker);
		if (draw(maker, 2)) /* else the next follows at once */
			maker->count = (maker->count + 15) & ~15u;
	}
}

/* How calls are under way: see plan_request. */
enum way { IN_PLACE, COPIED, LIVE };

static void open_made(struct whole_area *area, const struct maker *maker,
		      enum plan_depth depth, enum way way)
{
	whole_area_open(area, maker->bytes, TEXT, TEXT + DATA, IMAGE_DYNAMIC);
	area->copies_calls = way == COPIED;
	area->live = way == LIVE;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		uint32_t end = i + 1 < FUNCTIONS ? maker->starts[i + 1] : maker->count;

		while (maker->bytes[end - 1] == 0xcc)
			end--;
		plan_image_add(&area->image, WHOLE_ADDRESS + maker->starts[i],
			       end - maker->starts[i], "made");
	}
	area->depth = depth;
	whole_area_plan(area);
}

/* What became of the functions. */
struct outcome {
	size_t whole, with_edges, edges, joined;
	size_t came, left; /* into relocated code, and out of it, in the middle */
};

/* Now and then all return addresses on the stack become the original ones, as if a
 * function looked at them: `context` is a struct looking. */
struct looking {
	const struct plan *plan;
	unsigned steps, found;
};

/* No sanitizer knows that stack. */
__attribute__((no_sanitize("address"))) static void
look_now_and_then(void *context, ucontext_t *ucontext)
{
	struct looking *looking = context;
	uint64_t *stack = (uint64_t *)ucontext->uc_mcontext.gregs[REG_RSP], original;

	if (++looking->steps % 7)
		return;
	for (unsigned i = 0; i < 64; i++) {
		if (stack[i] < WHOLE_CODE || stack[i] >= WHOLE_ADDRESS + WHOLE_SIZE ||
		    !plan_return_of(looking->plan, (uint32_t)(stack[i] - WHOLE_CODE),
				    &original))
			continue;
		stack[i] = original;
		looking->found++;
	}
}

static struct whole_result run_relocated(const struct whole_area *area, uint64_t at,
					 unsigned i, struct looking *looking)
{
	uint64_t a = i & 1 ? i : 0;

	return area->copies_calls && i % 3 == 0
		       ? whole_run_stepped(at, a, 5, i, look_now_and_then, looking)
		       : whole_run(at, a, 5, i);
}

/* A plan that is put in place in the middle of a run, and taken out again. */
struct visit {
	struct whole_area *area;
	unsigned step, in, out; /* so many steps were made; at those it comes and goes */
	enum { BEFORE, INSIDE, AFTER } state;
	struct edges_residues *residues;
};

/* Where a thread is in relocated code; false if it cannot be moved there. */
static bool find_stand(struct whole_area *area, uint64_t rip,
		       struct plan_place *ret_place)
{
	const struct plan *plan = area->plan;
	uint32_t offset = (uint32_t)(rip - WHOLE_CODE);

	if (rip - WHOLE_CODE >= plan->code.count && !plan_jump_at(plan, rip, &offset))
		return false;
	*ret_place = plan_locate(plan, whole_original_at, &area->image, offset);
	return ret_place->kind != PLAN_PLACE_UNKNOWN &&
	       plan->functions.items[ret_place->function].step_count;
}

/* What the counters of a function do not tell. Those in front of it are as if they had
 * counted. */
static void note_stand(const struct visit *visit, uint64_t rip, int by)
{
	const struct plan *plan = visit->area->plan;
	struct plan_place place;

	if (!find_stand(visit->area, rip, &place)) {
		const struct plan_function *function = plan_function_at(plan, rip);

		if (function && edges_is_before_stub(plan, function, rip))
			vector_push(visit->residues,
				    ((struct edges_residue){.address = rip, .by = by}));
		return;
	}
	for (unsigned i = 0; i < 3; i++)
		if (place.uncounted[i] != PLAN_NO_SLOT)
			whole_counters[place.uncounted[i] / plan->slot_size] +=
				(uint64_t)(int64_t)by;
	if (place.kind != PLAN_PLACE_CALL_DONE)
		vector_push(
			visit->residues,
			((struct edges_residue){.address = place.original, .by = by}));
}

static void come(struct visit *visit, greg_t *registers)
{
	const struct plan *plan = visit->area->plan;
	uint64_t rip = (uint64_t)registers[REG_RIP];
	const struct plan_function *function = plan_function_at(plan, rip);
	uint32_t offset;

	/* In what an entry's jump displaced, or outside. */
	if (rip - WHOLE_ADDRESS >= visit->area->text || !function ||
	    !function->step_count)
		return;
	whole_area_show(visit->area, true);
	visit->state = INSIDE;
	if (rip == function->address ||
	    (plan_jump_at(plan, rip, &offset) && offset == function->trampoline))
		return;
	if (plan_way_back(plan, rip, true, &offset))
		registers[REG_RIP] = (greg_t)WHOLE_CODE + offset;
	note_stand(visit, (uint64_t)registers[REG_RIP], -1);
}

static void go(struct visit *visit, greg_t *registers)
{
	const struct plan *plan = visit->area->plan;
	uint64_t rip = (uint64_t)registers[REG_RIP];
	bool moved = rip - WHOLE_CODE < plan->code.count;
	struct plan_place place;
	bool stands = find_stand(visit->area, rip, &place);

	/* What displaced instructions and longer ones need is not tried here. */
	if (moved ? !stands || place.inside : rip - WHOLE_ADDRESS >= visit->area->text)
		return;
	/* A jump in the original at a function's start is a call to come. */
	if (moved ||
	    (stands && place.original != plan->functions.items[place.function].address))
		note_stand(visit, rip, 1);
	if (moved) {
		if (place.pushed)
			registers[REG_RAX] = *(greg_t *)(uintptr_t)registers[REG_RSP];
		registers[REG_RSP] += place.stack;
		if (place.kind == PLAN_PLACE_CALL_UNDO)
			registers[REG_RSP] += 8;
	}
	/* In the original it may stand on a jump that another one leads to. */
	if (stands)
		registers[REG_RIP] = (greg_t)place.original;
	whole_area_show(visit->area, false);
	whole_area_fill(visit->area, false);
	visit->state = AFTER;
}

/* No sanitizer knows that stack. */
__attribute__((no_sanitize("address"))) static void visit_step(void *context,
							       ucontext_t *ucontext)
{
	struct visit *visit = context;

	visit->step++;
	if (visit->state == BEFORE && visit->step >= visit->in)
		come(visit, ucontext->uc_mcontext.gregs);
	else if (visit->state == INSIDE && visit->step >= visit->out)
		go(visit, ucontext->uc_mcontext.gregs);
}

/* Functions that are under way hold nothing that a plan makes bad, neither when it comes
 * nor when it goes; and what was counted meanwhile is a flow. */
static void run_visited(struct whole_area *area, struct maker *maker,
			const struct whole_result *results, struct outcome *outcome)
{
	struct edges_residues residues = {0};
	struct edges_counts counts;
	uint32_t fault;

	memset(whole_counters, 0, sizeof(whole_counters));
	for (unsigned i = LEAVES; i < FUNCTIONS; i++) {
		unsigned in = 1 + draw(maker, 60);
		struct visit visit = {.area = area,
				      .in = in,
				      .out = in + draw(maker, 120),
				      .residues = &residues};
		uint64_t at = WHOLE_ADDRESS + maker->starts[i];
		struct whole_result result;

		whole_area_show(area, false);
		whole_area_fill(area, true);
		result = whole_run_stepped(at, i & 1 ? i : 0, 5, i, visit_step, &visit);
		if (memcmp(&result, &results[i], sizeof(result)))
			fail_msg("function %u at %#lx, visited from step %u to %u, "
				 "differs",
				 i, (unsigned long)at, visit.in, visit.out);
		outcome->came += visit.state != BEFORE;
		outcome->left += visit.state == AFTER;
	}
	vector_for_each (&area->plan->functions, function) {
		if (!function->edge_count)
			continue;
		if (!edges_solve(area->plan, function, whole_counters, &residues, &counts,
				 &fault))
			fail_msg("function at %#lx: no flow, at block %u",
				 (unsigned long)function->address, fault);
		edges_counts_deinit(&counts);
	}
	vector_deinit(&residues);
}

/* Runs all functions bare and relocated; both must do the same, and counts be right. */
static void run_both(struct whole_area *area, const struct maker *maker, uint32_t seed,
		     struct looking *looking, struct whole_result *results)
{
	looking->plan = area->plan;
	for (unsigned shown = 0; shown < 2; shown++) {
		whole_area_show(area, shown);
		for (unsigned i = 0; i < FUNCTIONS; i++) {
			uint64_t at = WHOLE_ADDRESS + maker->starts[i];
			struct whole_result result;

			if (!shown) {
				results[i] = whole_run_stepped(at, i & 1 ? i : 0, 5, i,
							       whole_note_step, area);
				continue;
			}
			result = run_relocated(area, at, i, looking);
			if (memcmp(&result, &results[i], sizeof(result)))
				fail_msg("seed %u: function %u at %#lx differs", seed, i,
					 (unsigned long)at);
		}
	}
	whole_check_counts(area);
}

static void run_batch(struct maker *maker, uint32_t seed, enum plan_depth depth,
		      enum way way, struct outcome *outcome)
{
	static struct whole_result results[FUNCTIONS];
	struct whole_area area;
	struct looking looking = {.steps = 0};

	make_all(maker, seed);
	open_made(&area, maker, depth, way);
	run_both(&area, maker, seed, &looking, results);
	assert_int_equal(looking.found > 20, way == COPIED);
	if (way == LIVE)
		run_visited(&area, maker, results, outcome);
	vector_for_each (&area.plan->functions, function) {
		outcome->whole += function->block_count != 0;
		outcome->with_edges += function->edge_count != 0;
	}
	outcome->edges += area.edges;
	outcome->joined += area.joined;
	whole_area_close(&area);
}

static void run_batches(enum way way)
{
	struct maker *maker = malloc(sizeof(*maker));
	struct outcome outcome = {0};

	for (uint32_t seed = 1; seed <= BATCHES; seed++)
		run_batch(maker, seed, PLAN_BLOCKS, way, &outcome);
	free(maker);
	/* The others have no room for a jump. */
	assert_true(outcome.whole * 100 >= 80 * BATCHES * FUNCTIONS);
	assert_int_equal(outcome.with_edges, 0);
}

/* All counts of edges and blocks follow from the counters. */
static void run_edges(enum way way)
{
	struct maker *maker = malloc(sizeof(*maker));
	struct outcome outcome = {0};

	for (uint32_t seed = 1; seed <= BATCHES; seed++)
		run_batch(maker, seed, PLAN_EDGES, way, &outcome);
	free(maker);
	assert_true(outcome.with_edges * 100 >= 95 * outcome.whole);
	assert_true(outcome.edges > 10000 && outcome.joined * 100 < outcome.edges);
}

static void test_edges(void **state)
{
	(void)state;
	run_edges(IN_PLACE);
	run_edges(COPIED);
}

static void test_made_functions(void **state)
{
	(void)state;
	run_batches(IN_PLACE);
}

static void test_relocated_calls(void **state)
{
	(void)state;
	run_batches(COPIED);
}

static void test_live(void **state)
{
	struct maker *maker = malloc(sizeof(*maker));
	struct outcome outcome = {0};

	(void)state;
	for (uint32_t seed = 1; seed <= VISITED; seed++)
		run_batch(maker, seed, seed % 2 ? PLAN_BLOCKS : PLAN_EDGES, LIVE,
			  &outcome);
	free(maker);
	assert_true(outcome.whole * 100 >= 75 * VISITED * FUNCTIONS);
	assert_true(outcome.with_edges * 100 >= 45 * outcome.whole);
	assert_true(outcome.came > 400 && outcome.left * 100 > 60 * outcome.came);
}

/* The quick way finds what the other one does, which is taken where there are residues:
 * here one that is nowhere. */
static void compare_ways(const struct plan *plan, const struct plan_function *function,
			 const struct edges_counts *quick)
{
	struct edges_residues nowhere = {0};
	struct edges_counts counts, own;
	size_t blocks = function->block_count * sizeof(uint64_t);
	uint32_t fault;

	vector_push(&nowhere, ((struct edges_residue){.address = UINT64_MAX, .by = 1}));
	assert_true(edges_peel(plan, function, whole_counters, &own));
	edges_counts_deinit(&own);
	assert_true(
		edges_solve(plan, function, whole_counters, &nowhere, &counts, &fault));
	assert_int_equal(counts.calls, quick->calls);
	assert_memory_equal(counts.blocks, quick->blocks, blocks);
	assert_memory_equal(counts.stayed, quick->stayed, blocks);
	assert_memory_equal(counts.edges, quick->edges,
			    function->edge_count * sizeof(uint64_t));
	edges_counts_deinit(&counts);
	vector_deinit(&nowhere);
}

static struct frequencies learn(const struct plan *plan)
{
	struct frequencies learned = {0};

	vector_for_each (&plan->functions, function) {
		struct edges_counts counts;
		uint32_t fault;

		if (!function->edge_count)
			continue;
		assert_true(edges_solve(plan, function, whole_counters, NULL, &counts,
					&fault));
		compare_ways(plan, function, &counts);
		frequencies_add(&learned, function, &counts);
		edges_counts_deinit(&counts);
	}
	return learned;
}

static struct frequencies_cost cost_of(const struct plan *plan,
				       const struct frequencies *frequencies)
{
	struct frequencies_cost cost = {0};

	vector_for_each (&plan->functions, function) {
		const frequency *values =
			frequencies_find(frequencies, function->address,
					 function->block_count, function->edge_count);

		assert_int_equal(values != NULL, function->edge_count != 0);
		if (values)
			frequencies_weigh(plan, function, values, &cost);
	}
	return cost;
}

/* What was not executed has its counters behind all others. Each counter is of the
 * function that has it. */
static void check_cold(const struct plan *plan)
{
	assert_true(plan->cold_slot && plan->cold_slot < plan->slot_count);
	for (uint32_t slot = plan->cold_slot; slot < plan->slot_count; slot++)
		assert_int_equal(whole_counters[slot], 0);
	vector_for_each (&plan->functions, function) {
		struct flow_graph graph;
		uint32_t *slots;

		if (!function->edge_count)
			continue;
		edges_graph(plan, function, &graph);
		slots = edges_list_slots(plan, function, &graph);
		for (uint32_t i = 0; i < graph.edge_count; i++)
			if (slots[i] < plan->slot_count)
				assert_ptr_equal(plan_function_of_slot(plan, slots[i]),
						 function);
		assert_ptr_equal(plan_function_of_slot(plan, function->slot), function);
		free(slots);
		free(graph.edges);
	}
}

/* Counters that are placed by whatever is said of frequencies give the same counts. By
 * what is true of them they cost least, which is less than what an estimate makes. */
static void run_known(struct maker *maker, uint32_t seed, enum way way,
		      struct frequencies_cost *first)
{
	static struct whole_result results[FUNCTIONS];
	struct whole_area area;
	struct looking looking = {.steps = 0};
	struct frequencies_cost cost, before;

	make_all(maker, seed);
	open_made(&area, maker, PLAN_EDGES, way);
	run_both(&area, maker, seed, &looking, results);
	struct frequencies truth = learn(area.plan);

	before = cost_of(area.plan, &truth);
	first->spent += before.spent;
	first->least += before.least;
	struct frequencies drawn = whole_draw_frequencies(area.plan, seed);

	whole_area_plan_again(&area, &drawn);
	run_both(&area, maker, seed, &looking, results);
	frequencies_deinit(&drawn);
	whole_area_plan_again(&area, &truth);
	run_both(&area, maker, seed, &looking, results);
	check_cold(area.plan);
	cost = cost_of(area.plan, &truth);
	assert_true(cost.spent <= cost.least * 1.001);
	assert_true(cost.least <= before.least * 1.001);
	frequencies_deinit(&truth);
	whole_area_close(&area);
}

static void test_known(void **state)
{
	struct maker *maker = malloc(sizeof(*maker));
	struct frequencies_cost first = {0};

	(void)state;
	for (uint32_t seed = 1; seed <= VISITED; seed++)
		run_known(maker, seed, seed % 2 ? IN_PLACE : COPIED, &first);
	/* With a function that takes flags and is counted at its entry alone. */
	run_known(maker, 70, COPIED, &first);
	free(maker);
	assert_true(first.spent > first.least * 1.05);
}

/* Only the form changes, and only where it lies. */
static void test_fired(void **state)
{
	uint8_t code[PROBE_FLAG_SIZE] = {0x65, 0xc6, 0x04, 0x25, 1, 2, 3, 4, 1};
	const uint8_t fired[] = {0x65, 0x0f, 0x1f, 0x84, 1, 2, 3, 4, 1};
	uint8_t other[PROBE_FLAG_SIZE] = {0x65, 0xc6, 0x04, 0x24, 1, 2, 3, 4, 1};

	(void)state;
	assert_int_equal(probe_at(code, sizeof(code)), PROBE_FLAG);
	assert_false(probe_set_fired(code, false));
	assert_true(probe_set_fired(code, true));
	assert_memory_equal(code, fired, sizeof(code));
	assert_false(probe_set_fired(code, true));
	assert_int_equal(probe_at(code, sizeof(code)), PROBE_NONE);
	assert_true(probe_set_fired(code, false));
	assert_int_equal(probe_at(code, sizeof(code)), PROBE_FLAG);
	assert_false(probe_set_fired(other, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_functions),
		cmocka_unit_test(test_fired),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_relocated_calls),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
