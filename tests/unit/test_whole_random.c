/*
 * Functions made by chance, relocated whole and run side by side with the bare ones: the
 * same registers, flags where they are looked at, memory and counts.
 */
#include "code/count/edges_peel.h"
#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "code/plan/position.h"
#include "code/plan/request.h"
#include "sanitized.h"
#include "whole_maker.h"

#include "code/count/edges.h"
#include "code/emit/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
	BATCHES = TIMES(10, 3),
	VISITED = TIMES(4, 2), /* of them, with a plan that comes and goes */
	FLAGS_TAKEN = 70,      /* the seed of a function that takes flags */
	SEEDS = FLAGS_TAKEN + 1,
};

/* How calls are under way: see plan_request. */
enum way { IN_PLACE, COPIED, LIVE };

static void open_made(struct whole_area *area, const struct maker *maker,
		      enum plan_depth depth, enum way way)
{
	maker_open(maker, area);
	area->copies_calls = way == COPIED;
	area->live = way == LIVE;
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
		       struct plan_position *ret_place)
{
	const struct plan *plan = area->plan;
	uint32_t offset = (uint32_t)(rip - WHOLE_CODE);

	if (rip - WHOLE_CODE >= plan->code.count && !plan_jump_at(plan, rip, &offset))
		return false;
	*ret_place = plan_locate(plan, whole_original_at, &area->image, offset);
	return ret_place->kind != PLAN_POSITION_UNKNOWN &&
	       plan->functions.items[ret_place->function].map_row_count;
}

/* What the counters of a function do not tell. Those in front of it are as if they had
 * counted. */
static void note_stand(const struct visit *visit, uint64_t rip, int by)
{
	const struct plan *plan = visit->area->plan;
	struct plan_position place;

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
	if (place.kind != PLAN_POSITION_CALL_DONE)
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
	    !function->map_row_count)
		return;
	whole_area_show(visit->area, true);
	visit->state = INSIDE;
	if (rip == function->address ||
	    (plan_jump_at(plan, rip, &offset) && offset == function->trampoline))
		return;
	if (plan_moved_to(plan, rip, true, &offset))
		registers[REG_RIP] = (greg_t)WHOLE_CODE + offset;
	note_stand(visit, (uint64_t)registers[REG_RIP], -1);
}

static void go(struct visit *visit, greg_t *registers)
{
	const struct plan *plan = visit->area->plan;
	uint64_t rip = (uint64_t)registers[REG_RIP];
	bool moved = rip - WHOLE_CODE < plan->code.count;
	struct plan_position place;
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
		if (place.kind == PLAN_POSITION_CALL_UNDO)
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
		unsigned in = 1 + maker_draw(maker, 60);
		struct visit visit = {.area = area,
				      .in = in,
				      .out = in + maker_draw(maker, 120),
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

/* What the bare functions of a seed did: however they are planned, that is the same. */
struct bare_run {
	struct whole_seen *seen; /* NULL: they have not run yet */
	struct whole_result results[FUNCTIONS];
};
static struct bare_run bare_runs[SEEDS];

static const struct whole_result *run_bare(struct whole_area *area,
					   const struct maker *maker, uint32_t seed)
{
	struct bare_run *bare = &bare_runs[seed];

	assert_true(seed < SEEDS);
	if (bare->seen) {
		whole_seen_use(area, bare->seen);
		return bare->results;
	}
	whole_area_show(area, false);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		bare->results[i] =
			whole_run_stepped(WHOLE_ADDRESS + maker->starts[i], i & 1 ? i : 0,
					  5, i, whole_note_step, area);
	bare->seen = whole_seen_keep(area);
	return bare->results;
}

/* Runs all functions bare and relocated; both must do the same, and counts be right. What
 * they do. */
static const struct whole_result *run_both(struct whole_area *area,
					   const struct maker *maker, uint32_t seed,
					   struct looking *looking)
{
	const struct whole_result *results = run_bare(area, maker, seed);

	looking->plan = area->plan;
	whole_area_show(area, true);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		uint64_t at = WHOLE_ADDRESS + maker->starts[i];
		struct whole_result result = run_relocated(area, at, i, looking);

		if (memcmp(&result, &results[i], sizeof(result)))
			fail_msg("seed %u: function %u at %#lx differs", seed, i,
				 (unsigned long)at);
	}
	whole_check_counts(area);
	return results;
}

static void run_batch(struct maker *maker, uint32_t seed, enum plan_depth depth,
		      enum way way, struct outcome *outcome)
{
	struct whole_area area;
	struct looking looking = {.steps = 0};
	const struct whole_result *results;

	maker_make(maker, seed);
	open_made(&area, maker, depth, way);
	results = run_both(&area, maker, seed, &looking);
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
	assert_true(outcome.came > 100 * VISITED &&
		    outcome.left * 100 > 60 * outcome.came);
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
		struct edges_counts counts = {0};
		uint32_t fault;

		if (!function->block_count)
			continue;
		if (function->edge_count) {
			assert_true(edges_solve(plan, function, whole_counters, NULL,
						&counts, &fault));
			compare_ways(plan, function, &counts);
		} else {
			counts.blocks = plan_block_counts(plan, function, whole_counters);
		}
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
		struct frequencies_known known =
			frequencies_find(frequencies, function->address,
					 function->block_count, function->edge_count);

		assert_int_equal(known.edges != NULL, function->edge_count != 0);
		if (known.edges)
			frequencies_weigh(plan, function, known, &cost);
	}
	return cost;
}

/* What was not executed has its counters behind all others. Each counter is of the
 * function that has it. */
/* Whatever function is known, those of other counters are found as from none. */
static void check_next_slots(const struct plan *plan)
{
	const struct plan_function *last = NULL;

	for (uint32_t slot = 0; slot <= plan->slot_count; slot++) {
		const struct plan_function *function =
			plan_function_of_slot(plan, NULL, slot);
		const struct plan_function *other =
			&plan->functions.items[slot % plan->functions.count];

		assert_ptr_equal(plan_function_of_slot(plan, last, slot), function);
		assert_ptr_equal(plan_function_of_slot(plan, other, slot), function);
		last = function;
	}
}

static void check_cold(const struct plan *plan)
{
	check_next_slots(plan);
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
				assert_ptr_equal(
					plan_function_of_slot(plan, NULL, slots[i]),
					function);
		assert_ptr_equal(plan_function_of_slot(plan, NULL, function->slot),
				 function);
		free(slots);
		free(graph.edges);
	}
}

/* Counters that are placed by whatever is said of frequencies give the same counts. By
 * what is true of them they cost least, which is less than what an estimate makes. */
static void run_known(struct maker *maker, uint32_t seed, enum way way,
		      struct frequencies_cost *first)
{
	struct whole_area area;
	struct looking looking = {.steps = 0};
	struct frequencies_cost cost, before;

	maker_make(maker, seed);
	open_made(&area, maker, PLAN_EDGES, way);
	run_both(&area, maker, seed, &looking);
	struct frequencies truth = learn(area.plan);

	before = cost_of(area.plan, &truth);
	first->spent += before.spent;
	first->least += before.least;
	struct frequencies drawn = whole_draw_frequencies(area.plan, seed);

	whole_area_plan_again(&area, &drawn);
	run_both(&area, maker, seed, &looking);
	frequencies_deinit(&drawn);
	whole_area_plan_again(&area, &truth);
	run_both(&area, maker, seed, &looking);
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
	run_known(maker, FLAGS_TAKEN, COPIED, &first);
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

	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	for (uint32_t seed = 0; seed < SEEDS; seed++)
		whole_seen_free(bare_runs[seed].seen);
	return failed;
}
