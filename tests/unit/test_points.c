/*
 * Functions with points at all their places are run side by side with the bare ones: the
 * same results and memory, and each point ran as often as single steps of the bare code
 * came to its instruction. A thread that is found in the middle of a point goes on in a
 * copy of the rest, as after a signal.
 */
#include "code/locate/locate.h"
#include "code/locate/locate_points.h"
#include "code/plan/plan_rows.h"
#include "code/plan/position.h"
#include "code/plan/request.h"
#include "code/points/recipe.h"
#include "code/relocate/cfg.h"
#include "sanitized.h"
#include "whole_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
	BATCHES = TIMES(4, 2),
	/* Words of the bank that recipes use; slots end in front of them. */
	SELF = WHOLE_COUNTERS - 8,
	THREAD,
	UNTIMED,
	CONTROL,
	DEAD = 0x40000000,
	WORD = 8,
	FINISH = WHOLE_ADDRESS + WHOLE_SIZE - 4096, /* where copies are run */
};

/* What a recipe does: the kind is in its upper half, the slot in the lower. */
enum kind { COUNTS, BUSY, TAKES, KINDS };

/* Code of the busy kind is long: few points have it. */
static enum kind kind_at(enum kind kind, uint32_t at)
{
	return at % 8 == 3 ? kind : COUNTS;
}

static uint64_t recipe_of(enum kind kind, uint64_t slot)
{
	return (uint64_t)kind << 32 | slot;
}

struct source {
	enum kind kind; /* of the points in front of instructions */
	size_t listed;
};

static void add_point(struct points *points, uint32_t at, enum point_where where,
		      uint64_t recipe)
{
	vector_push(
		&points->items,
		((struct point){.at = at, .where = (uint8_t)where, .recipe = recipe}));
}

/* Counters: of instructions, of what is behind them, of edges, of conditions that are
 * true, and one of calls. */
static void list_points(void *context, const struct point_function *function,
			struct points *ret_points)
{
	struct source *source = context;
	const struct cfg *cfg = function->cfg;
	uint32_t count;

	if (!cfg)
		return;
	count = (uint32_t)cfg->instructions.count;
	source->listed++;
	ret_points->slots = 3 * count + (uint32_t)cfg->edges.count + 1;
	for (uint32_t i = 0; i < count; i++) {
		add_point(ret_points, i, POINT_AFTER, recipe_of(COUNTS, count + i));
		add_point(ret_points, i, POINT_BEFORE,
			  recipe_of(kind_at(source->kind, i), i));
		if (cfg->instructions.items[i].kind == CFG_CONDITION)
			add_point(ret_points, i, POINT_BEFORE,
				  recipe_of(TAKES, 2 * count + i));
	}
	for (uint32_t i = 0; i < cfg->edges.count; i++)
		add_point(ret_points, i, POINT_EDGE, recipe_of(COUNTS, 3 * count + i));
	add_point(ret_points, 0, POINT_ENTRY,
		  recipe_of(COUNTS, 3 * count + cfg->edges.count));
}

/* Uses many registers, flags, and memory of the program. */
static void emit_busy(const struct point_function *function, const struct point *point,
		      struct recipe *recipe, uint32_t slot)
{
	const struct cfg_instruction *row = &function->cfg->instructions.items[point->at];
	const uint8_t *bytes = function->cfg->bytes + row->offset;
	struct recipe_operand operands[RECIPE_OPERANDS_MAX];
	size_t count = recipe_operands(bytes, row->length, operands);
	int all[5], end = recipe_label(recipe);

	for (unsigned i = 0; i < 5; i++) {
		all[i] = recipe_take(recipe);
		recipe_value(recipe, all[i],
			     (struct recipe_value){.kind = RECIPE_REGISTER,
						   .number = (uint8_t)(slot + i * 3)});
	}
	for (unsigned i = 0; i < count; i++)
		if (operands[i].reads && operands[i].size && !operands[i].gathered)
			recipe_value(recipe, all[0],
				     (struct recipe_value){.kind = RECIPE_LOADED,
							   .number = (uint8_t)i});
	recipe_log2(recipe, all[1], all[0]);
	recipe_compute(recipe, RECIPE_TIMES, all[2], all[1]);
	recipe_compute_constant(recipe, RECIPE_XOR, all[3], 0x123456789abc);
	recipe_skip_if_constant(recipe, all[4], RECIPE_EQUAL, 0, end);
	recipe_divide(recipe, all[3], all[4], false, true);
	recipe_place_label(recipe, end);
	recipe_count(recipe, slot, 1);
	for (unsigned i = 0; i < 5; i++)
		recipe_give_back(recipe, all[i]);
}

static void emit_point(void *context, const struct point_function *function,
		       const struct point *point, struct recipe *recipe)
{
	const uint32_t slot = (uint32_t)point->recipe;
	int number;

	(void)context;
	switch (point->recipe >> 32) {
	case COUNTS:
		recipe_count(recipe, slot, 1);
		break;
	case TAKES:
		number = recipe_take(recipe);
		recipe_value(recipe, number, (struct recipe_value){.kind = RECIPE_TAKEN});
		recipe_add(recipe, slot, number);
		recipe_give_back(recipe, number);
		break;
	default:
		emit_busy(function, point, recipe, slot);
	}
}

static struct source own;
static const struct point_source source = {
	.list = list_points,
	.emit = emit_point,
	.context = &own,
};
static const struct point_sources sources = {.count = 1, .items = {&source}};

/* A load of a recipe that cannot be made goes on where the plan says. */
static const struct plan *running;
static unsigned passed_faults;

static void on_fault(int signal, siginfo_t *info, void *ucontext)
{
	greg_t *rip = &((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
	uint32_t then;

	(void)info;
	if (!plan_check_at(running, (uint32_t)((uint64_t)*rip - WHOLE_CODE), &then))
		fail_msg("signal %d at %#llx", signal, *rip);
	*rip = WHOLE_CODE + then;
	passed_faults++;
}

static void watch_faults(const struct plan *plan)
{
	const struct sigaction action = {.sa_sigaction = on_fault,
					 .sa_flags = SA_SIGINFO | SA_ONSTACK};

	running = plan;
	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
}

static void plan_points(struct whole_area *area, enum kind kind)
{
	own = (struct source){.kind = kind};
	area->points = &sources;
	area->point_layout = (struct plan_point_layout){
		.self = SELF * WORD,
		.thread = THREAD * WORD,
		.untimed = UNTIMED * WORD,
		.control = CONTROL * WORD,
		.dead = DEAD,
	};
	area->depth = PLAN_POINTS;
}

static void set_bank(void)
{
	static uint32_t control;

	whole_counters[SELF] = (uintptr_t)whole_counters;
	whole_counters[UNTIMED] = 0;
	whole_counters[CONTROL] = (uintptr_t)&control;
}

/* Whether a point has code. */
static bool is_placed(const struct plan *plan, uint32_t function, uint64_t recipe)
{
	vector_for_each (&plan->points.troubles, trouble)
		if (trouble->function == function && trouble->recipe == recipe)
			return false;
	return true;
}

/* What became of the points that were looked at. */
struct outcome {
	size_t checked, missing;
};

static uint64_t counter_of(const struct plan_point_slots *slots, uint64_t slot)
{
	return whole_counters[slots->first_slot + slot];
}

/* Each instruction's points ran as often as the instruction. */
static void check_function(const struct whole_area *area, const struct cfg *cfg,
			   const struct plan_point_slots *slots, enum kind kind,
			   struct outcome *outcome)
{
	const struct plan *plan = area->plan;

	for (uint32_t i = 0; i < cfg->instructions.count; i++) {
		const uint64_t at = cfg->address + cfg->instructions.items[i].offset;
		const uint32_t wanted = whole_executed[at - WHOLE_ADDRESS];

		if (!is_placed(plan, slots->function, recipe_of(kind_at(kind, i), i))) {
			outcome->missing++;
			continue;
		}
		outcome->checked++;
		if (counter_of(slots, i) != wanted)
			fail_msg("at %#lx: %lu times, not %u", (unsigned long)at,
				 (unsigned long)counter_of(slots, i), wanted);
	}
}

/* A condition was true as often as its branch was taken, which is what flowed out of its
 * block and not on to the next. */
static void check_conditions(const struct whole_area *area, const struct cfg *cfg,
			     const struct plan_point_slots *slots,
			     struct outcome *outcome)
{
	const uint32_t count = (uint32_t)cfg->instructions.count;

	vector_for_each (&cfg->edges, edge) {
		const struct cfg_block *from = &cfg->blocks.items[edge->from];
		const uint32_t last = from->first + from->count - 1;
		const uint64_t number = (uint64_t)(edge - cfg->edges.items);

		if (edge->kind != CFG_EDGE_TAKEN ||
		    cfg->instructions.items[last].kind != CFG_CONDITION ||
		    !is_placed(area->plan, slots->function,
			       recipe_of(TAKES, 2 * count + last)) ||
		    !is_placed(area->plan, slots->function,
			       recipe_of(COUNTS, 3 * count + number)))
			continue;
		outcome->checked++;
		if (counter_of(slots, 2 * count + last) !=
		    counter_of(slots, 3 * count + number))
			fail_msg("condition at %#lx: %lu, edge %lu",
				 (unsigned long)cfg->address +
					 cfg->instructions.items[last].offset,
				 (unsigned long)counter_of(slots, 2 * count + last),
				 (unsigned long)counter_of(slots, 3 * count + number));
	}
}

static void check_counts(struct whole_area *area, enum kind kind, struct outcome *outcome)
{
	struct scan scan;
	struct cfg cfg = {0};

	scan_init(&scan, &area->image, true);
	vector_for_each (&area->plan->points.slots, slots) {
		if (cfg_build(&cfg, &scan, &area->image, slots->function))
			continue;
		check_function(area, &cfg, slots, kind, outcome);
		check_conditions(area, &cfg, slots, outcome);
		assert_int_equal(
			counter_of(slots, 3 * cfg.instructions.count + cfg.edges.count),
			whole_calls[cfg.address - WHOLE_ADDRESS]);
	}
	cfg_deinit(&cfg);
	scan_deinit(&scan);
}

/* Goes on in a copy of a point whenever it is in the middle of one, now and then. */
struct finishing {
	struct image *image;
	const struct plan *plan;
	unsigned steps, finished;
};

static void finish_now_and_then(void *context, ucontext_t *ucontext)
{
	struct finishing *finishing = context;
	greg_t *rip = &ucontext->uc_mcontext.gregs[REG_RIP];
	const uint64_t offset = (uint64_t)*rip - WHOLE_CODE;
	struct plan_position place;

	if (offset >= finishing->plan->code.count || ++finishing->steps % 3)
		return;
	place = plan_locate(finishing->plan, whole_original_at, finishing->image,
			    (uint32_t)offset);
	if (place.kind != PLAN_POSITION_POINT)
		return;
	assert_true(plan_finish_point(
		finishing->plan, finishing->plan->code.items + offset, (uint32_t)offset,
		place.end, FINISH, (uint8_t *)(uintptr_t)FINISH, 4096));
	*(uint64_t *)(uintptr_t)FINISH = WHOLE_CODE + place.end;
	*rip = FINISH + WORD;
	finishing->finished++;
}

/* Runs all functions bare, then as planned. Returns how many points were finished in a
 * copy. */
static unsigned compare_runs(struct whole_area *area, const struct maker *maker,
			     bool stepped)
{
	struct finishing finishing = {.image = &area->image, .plan = area->plan};
	struct whole_result bare[FUNCTIONS];

	whole_area_show(area, false);
	for (unsigned i = LEAVES; i < FUNCTIONS; i++)
		bare[i] = whole_run_stepped(WHOLE_ADDRESS + maker->starts[i],
					    i & 1 ? i : 0, 5, i, whole_note_step, area);
	set_bank();
	watch_faults(area->plan);
	whole_area_show(area, true);
	for (unsigned i = LEAVES; i < FUNCTIONS; i++) {
		const uint64_t at = WHOLE_ADDRESS + maker->starts[i];
		struct whole_result result =
			stepped ? whole_run_stepped(at, i & 1 ? i : 0, 5, i,
						    finish_now_and_then, &finishing)
				: whole_run(at, i & 1 ? i : 0, 5, i);

		if (memcmp(&result, &bare[i], sizeof(result)))
			fail_msg("function %u at %#lx differs", i, (unsigned long)at);
	}
	return finishing.finished;
}

static void run_made(struct maker *maker, uint32_t seed, enum kind kind, bool copies,
		     bool stepped, struct outcome *outcome)
{
	struct whole_area area;
	unsigned finished;

	maker_make(maker, seed);
	maker_open(maker, &area);
	area.copies_calls = copies;
	plan_points(&area, kind);
	whole_area_plan(&area);
	finished = compare_runs(&area, maker, stepped);
	assert_true(!stepped || finished > 100);
	check_counts(&area, kind, outcome);
	whole_area_close(&area);
}

static void test_made(void **state)
{
	struct maker *maker = malloc(sizeof(*maker));
	struct outcome outcomes[2] = {0}; /* calls in place, and copied */

	(void)state;
	for (uint32_t seed = 1; seed <= BATCHES; seed++)
		run_made(maker, seed, seed & 1 ? COUNTS : BUSY, seed & 2, seed & 4,
			 &outcomes[seed >> 1 & 1]);
	for (unsigned i = 0; i < 2; i++)
		print_message("%zu points, %zu without code\n", outcomes[i].checked,
			      outcomes[i].missing);
	assert_true(outcomes[0].checked > 100 * outcomes[0].missing);
	assert_true(outcomes[1].checked > 100 * outcomes[1].missing);
	free(maker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
