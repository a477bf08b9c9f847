#include "probe/emit_action.h"

#include "base/bits.h"
#include "code/points/recipe_call.h"
#include "probe/cells.h"
#include "probe/node_make.h"
#include "wire/probes.h"

/* Shapes of actions for the resident: see WIRE_PROBE_ACTION and the like. */
enum {
	SHAPE_COUNT = 16,
	SHAPE_TEXT = 20,
	SHAPE_REGION = 28,
	SHAPE_KIND = 36,
	SHAPE_ROWS = 40,
};

void probe_emit_count(struct probe_emit *emit, const struct probe_action *action,
		      unsigned cell)
{
	recipe_count(emit->recipe, recipe_module_slot(action->cells + cell), 1);
}

/* Makes nodes of a term that was tried before; where that depends on the point, and
 * fails, the value cannot be had. */
static bool make_node(struct probe_emit *emit, uint32_t term, uint32_t *ret_node)
{
	struct probe_type type;
	struct trm_error *error = probe_make_node(emit->site, term, ret_node, &type);
	bool made = !error;

	trm_error_destroy(error);
	/* A function that is left by a jump has no result of its own. */
	for (size_t i = 0; made && emit->site->tail && i < emit->site->nodes.count; i++)
		made = emit->site->nodes.items[i].kind != PROBE_NODE_RESULT &&
		       emit->site->nodes.items[i].kind != PROBE_NODE_VECTOR;
	return made;
}

/* The value of a term in a register, or -1: it is the error. */
static int emit_term(struct probe_emit *emit, uint32_t term)
{
	uint32_t node;

	emit->site->nodes.count = 0;
	if (make_node(emit, term, &node))
		return probe_emit_node(emit, node);
	recipe_skip(emit->recipe, emit->error);
	return recipe_take(emit->recipe);
}

/* The row of a power-of-two histogram: see probe_power_row. */
static void make_power_row(struct recipe *recipe, int number)
{
	int positive = recipe_label(recipe), end = recipe_label(recipe);

	recipe_skip_if_constant(recipe, number, RECIPE_NOT_LESS, 0, positive);
	recipe_compute_constant(recipe, RECIPE_XOR, number, -1);
	recipe_compute_constant(recipe, RECIPE_PLUS, number, 1);
	recipe_log2(recipe, number, number);
	recipe_compute_constant(recipe, RECIPE_PLUS, number, 64);
	recipe_skip(recipe, end);
	recipe_place_label(recipe, positive);
	recipe_log2(recipe, number, number);
	recipe_place_label(recipe, end);
}

/* number = (number - low) / step + 1 */
static void make_step(struct probe_emit *emit, const struct probe_action *action,
		      int number, int other)
{
	struct recipe *recipe = emit->recipe;

	recipe_compute_constant(recipe, RECIPE_MINUS, number, action->low);
	if (!(action->step & (action->step - 1))) {
		recipe_shift(recipe, RECIPE_RIGHT, number,
			     (unsigned)__builtin_ctzll((uint64_t)action->step));
	} else {
		recipe_compute_constant(recipe, RECIPE_MOVE, other, action->step);
		recipe_divide(recipe, number, other, false, false);
	}
	recipe_compute_constant(recipe, RECIPE_PLUS, number, 1);
}

/* The row of a linear histogram: see probe_linear_row. */
static void make_linear_row(struct probe_emit *emit, const struct probe_action *action,
			    int number)
{
	struct recipe *recipe = emit->recipe;
	int below = recipe_label(recipe), above = recipe_label(recipe);
	int end = recipe_label(recipe), other = recipe_take(recipe);

	recipe_compute_constant(recipe, RECIPE_MOVE, other, action->low);
	recipe_skip_if(recipe, number, RECIPE_LESS, other, below);
	recipe_compute_constant(recipe, RECIPE_MOVE, other, action->high);
	recipe_skip_if(recipe, number, RECIPE_NOT_LESS, other, above);
	make_step(emit, action, number, other);
	recipe_skip(recipe, end);
	recipe_place_label(recipe, below);
	recipe_compute_constant(recipe, RECIPE_MOVE, number, 0);
	recipe_skip(recipe, end);
	recipe_place_label(recipe, above);
	recipe_compute_constant(recipe, RECIPE_MOVE, number,
				probe_action_rows(action) - 1);
	recipe_place_label(recipe, end);
	recipe_give_back(recipe, other);
}

static void make_row(struct probe_emit *emit, const struct probe_action *action,
		     int number)
{
	if (action->kind == PROBE_HIST)
		make_power_row(emit->recipe, number);
	else
		make_linear_row(emit, action, number);
}

static void emit_histogram(struct probe_emit *emit, const struct probe_action *action,
			   int number)
{
	recipe_add(emit->recipe, recipe_module_slot(action->cells + PROBE_CELL_VALUE),
		   number);
	make_row(emit, action, number);
	recipe_count_indexed(emit->recipe,
			     recipe_module_slot(action->cells + PROBE_CELL_ROWS), number,
			     probe_action_rows(action), 1);
}

/* Numbers in the order of unsigned ones; for min() their complement. */
static void emit_extreme(struct probe_emit *emit, const struct probe_action *action,
			 int number)
{
	struct recipe *recipe = emit->recipe;
	int32_t word = PROBE_AREA(emit, extremes) + 8 * (int32_t)action->extreme;
	int end = recipe_label(recipe), bank, most;

	recipe_compute_constant(recipe, RECIPE_XOR, number,
				action->kind == PROBE_MAX ? (int64_t)PROBE_ORDER
							  : ~(int64_t)PROBE_ORDER);
	bank = probe_emit_bank(emit);
	most = recipe_take(recipe);
	recipe_load_own(recipe, most, bank, word);
	recipe_skip_if(recipe, number, RECIPE_AT_MOST, most, end);
	recipe_store(recipe, bank, word, number, 8);
	recipe_place_label(recipe, end);
	recipe_give_back(recipe, most);
	recipe_give_back(recipe, bank);
}

/* Actions whose words are counters of the module. */
static void emit_counted(struct probe_emit *emit, const struct probe_action *action)
{
	int number = action->operand_count ? emit_term(emit, action->operands[0]) : -1;

	if (action->kind == PROBE_HIST || action->kind == PROBE_LINEAR) {
		emit_histogram(emit, action, number);
	} else {
		if (action->kind == PROBE_SUM || action->kind == PROBE_AVG)
			recipe_add(emit->recipe,
				   recipe_module_slot(action->cells + PROBE_CELL_VALUE),
				   number);
		else if (probe_action_is_extreme(action))
			emit_extreme(emit, action, number);
		probe_emit_count(emit, action, PROBE_CELL_HITS);
	}
	if (number >= 0)
		recipe_give_back(emit->recipe, number);
}

static void store_area(struct probe_emit *emit, int32_t displacement, int number)
{
	int bank = probe_emit_bank(emit);

	recipe_store(emit->recipe, bank, displacement, number, 8);
	recipe_give_back(emit->recipe, bank);
	recipe_give_back(emit->recipe, number);
}

/* What is written for a value by itself, and which of them are text. */
static uint64_t store_terms(struct probe_emit *emit, const uint32_t *terms,
			    uint32_t count)
{
	const struct probe_term *rows = emit->module->program->terms.items;
	uint64_t shape = (uint64_t)count << SHAPE_COUNT;

	for (uint32_t i = 0; i < count; i++) {
		int number = emit_term(emit, terms[i]);

		store_area(emit, PROBE_AREA(emit, words) + 8 * (int32_t)i, number);
		if (rows[terms[i]].kind == PROBE_STRING)
			shape |= 1ull << (SHAPE_TEXT + i);
		if (rows[terms[i]].kind == PROBE_REGION)
			shape |= 1ull << (SHAPE_REGION + i);
	}
	return shape;
}

/* The value of an action with keys, and its row. */
static uint64_t store_value(struct probe_emit *emit, const struct probe_action *action)
{
	bool extreme = action->kind == PROBE_MIN || action->kind == PROBE_MAX;
	uint64_t shape = (uint64_t)(extreme ? WIRE_PROBE_MOST : WIRE_PROBE_ADD)
			 << SHAPE_KIND;
	uint32_t rows = probe_action_rows(action);
	int number;

	if (!action->operand_count)
		return shape;
	number = emit_term(emit, action->operands[0]);
	if (extreme)
		recipe_compute_constant(emit->recipe, RECIPE_XOR, number,
					action->kind == PROBE_MAX
						? (int64_t)PROBE_ORDER
						: ~(int64_t)PROBE_ORDER);
	store_area(emit, PROBE_AREA(emit, value), number);
	if (!rows)
		return shape;
	number = probe_emit_bank(emit);
	recipe_load_own(emit->recipe, number, number, PROBE_AREA(emit, value));
	make_row(emit, action, number);
	store_area(emit, PROBE_AREA(emit, row), number);
	return shape | (uint64_t)rows << SHAPE_ROWS;
}

static void call_resident(struct probe_emit *emit, uint64_t shape)
{
	const struct recipe_routine routine = {.word = emit->module->word,
					       .changes = RECIPE_CHANGES_ABI};
	int area = probe_emit_bank(emit);

	recipe_compute_constant(emit->recipe, RECIPE_PLUS, area, emit->module->area);
	const struct recipe_value arguments[] = {
		recipe_taken(area),
		{.kind = RECIPE_CONSTANT, .constant = (int64_t)shape},
	};

	recipe_call(emit->recipe, &routine, arguments, 2);
	recipe_give_back(emit->recipe, area);
	/* Registers that were taken have any value behind the call. */
	if (emit->frame >= 0)
		probe_emit_row(emit);
}

/* Actions that the resident does. Hits are counted here: what it has no room for is the
 * difference. */
static void emit_called(struct probe_emit *emit, const struct probe_action *action)
{
	uint64_t shape = action->number;

	if (action->kind == PROBE_TRACE) {
		int ticks;

		shape |= store_terms(emit, action->operands, action->operand_count);
		shape |= (uint64_t)WIRE_PROBE_TRACE << SHAPE_KIND;
		ticks = probe_emit_ticks(emit);
		store_area(emit, PROBE_AREA(emit, value), ticks);
	} else {
		shape |= store_terms(emit, action->keys, action->key_count);
		shape |= store_value(emit, action);
	}
	probe_emit_count(emit, action, PROBE_CELL_HITS);
	call_resident(emit, shape);
}

static void emit_setting(struct probe_emit *emit, const struct probe_action *action)
{
	int number = emit_term(emit, action->operands[0]);

	if (action->kind == PROBE_SET_CALL) {
		recipe_store(emit->recipe, emit->frame,
			     (int32_t)(offsetof(struct wire_probe_call, cells) +
				       8 * (size_t)action->variable),
			     number, 8);
		recipe_give_back(emit->recipe, number);
		return;
	}
	store_area(emit, PROBE_AREA(emit, variables) + 8 * (int32_t)action->variable,
		   number);
}

void probe_emit_action(struct probe_emit *emit, const struct probe_action *action)
{
	struct recipe *recipe = emit->recipe;
	int end = recipe_label(recipe);
	uint32_t node;

	emit->error = recipe_label(recipe);
	if (action->condition != PROBE_NO_TERM) {
		emit->site->nodes.count = 0;
		if (make_node(emit, action->condition, &node))
			probe_emit_branch(emit, node, false, end);
		else
			recipe_skip(recipe, emit->error);
	}
	if (action->kind >= PROBE_SET_THREAD)
		emit_setting(emit, action);
	else if (action->key_count || action->kind == PROBE_TRACE)
		emit_called(emit, action);
	else
		emit_counted(emit, action);
	recipe_skip(recipe, end);
	recipe_place_label(recipe, emit->error);
	/* A variable that cannot be set keeps its value. */
	if (action->kind < PROBE_SET_THREAD)
		probe_emit_count(emit, action, PROBE_CELL_ERRORS);
	recipe_place_label(recipe, end);
}
