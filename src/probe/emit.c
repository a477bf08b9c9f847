#include "probe/emit.h"

#include "base/table.h"
#include "code/relocate/cfg.h"
#include "image/image.h"
#include "probe/cells.h"
#include "probe/emit_action.h"
#include "probe/frame.h"
#include "probe/list.h"
#include "probe/loop_points.h"
#include "probe/node_make.h"
#include "probe/node_variables.h"
#include "wire/probes.h"

#include <string.h>

enum { REGISTER_RSP = 4 };

/* Tells the calls of functions apart. */
static int64_t key_of(const struct probe_emit *emit)
{
	const uint64_t words[] = {
		hash_bytes(emit->module->path, strlen(emit->module->path)),
		emit->site->function,
		(uint64_t)(emit->loop < 0 ? 0 : 1 + emit->loop / WIRE_PROBE_CELLS)};

	return (int64_t)hash_bytes(words, sizeof(words));
}

/* Takes a register for the address of the call's row, and one for its key: both follow
 * from the stack pointer, which is the same at a function's entry and its returns. */
static void find_row(struct probe_emit *emit, int *ret_key)
{
	struct recipe *recipe = emit->recipe;
	int key = recipe_take(recipe);

	emit->frame = recipe_take(recipe);
	recipe_value(
		recipe, key,
		(struct recipe_value){.kind = RECIPE_REGISTER, .number = REGISTER_RSP});
	recipe_compute_constant(recipe, RECIPE_XOR, key, key_of(emit));
	probe_emit_row(emit);
	*ret_key = key;
}

static void drop_row(struct probe_emit *emit)
{
	recipe_give_back(emit->recipe, emit->frame);
	emit->frame = -1;
}

/* What a value is at the function's entry, to the row. One that cannot be read is 0. */
static void keep_value(struct probe_emit *emit, const struct probe_kept *kept)
{
	struct recipe *recipe = emit->recipe;
	int32_t cell = (int32_t)(offsetof(struct wire_probe_call, cells) +
				 8 * (size_t)kept->cell);
	int end = recipe_label(recipe), number;
	uint32_t node;

	emit->error = recipe_label(recipe);
	emit->site->nodes.count = 0;
	struct trm_error *error = probe_make_kept(emit->site, kept->term, &node);

	if (!error) {
		number = probe_emit_node(emit, node);
		recipe_store(recipe, emit->frame, cell, number, 8);
		recipe_give_back(recipe, number);
	}
	trm_error_destroy(error);
	recipe_skip(recipe, end);
	recipe_place_label(recipe, emit->error);
	number = recipe_take(recipe);
	recipe_compute_constant(recipe, RECIPE_MOVE, number, 0);
	recipe_store(recipe, emit->frame, cell, number, 8);
	recipe_give_back(recipe, number);
	recipe_place_label(recipe, end);
}

/* At a function's entry: its row, with the time, and what its returns need. */
static void emit_keeping(struct probe_emit *emit)
{
	struct recipe *recipe = emit->recipe;
	int key, ticks;

	find_row(emit, &key);
	recipe_store(recipe, emit->frame, offsetof(struct wire_probe_call, key), key, 8);
	recipe_give_back(recipe, key);
	vector_for_each (&emit->module->kept, kept)
		if (kept->function == emit->site->function)
			keep_value(emit, kept);
	/* Last, so that the time is the function's. */
	ticks = probe_emit_ticks(emit);
	recipe_store(recipe, emit->frame, offsetof(struct wire_probe_call, ticks), ticks,
		     8);
	recipe_give_back(recipe, ticks);
	drop_row(emit);
}

/* A loop is entered, or begins anew: its trips, in the row of its call. */
static void emit_trips(struct probe_emit *emit, uint8_t step)
{
	const int32_t cell = (int32_t)(offsetof(struct wire_probe_call, cells) +
				       8 * ((size_t)emit->loop % WIRE_PROBE_CELLS));
	struct recipe *recipe = emit->recipe;
	int end = recipe_label(recipe), key, number;

	find_row(emit, &key);
	number = recipe_take(recipe);
	if (step == PROBE_LOOP_ENTER) {
		recipe_store(recipe, emit->frame, offsetof(struct wire_probe_call, key),
			     key, 8);
		recipe_compute_constant(recipe, RECIPE_MOVE, number, 1);
	} else {
		recipe_load_own(recipe, number, emit->frame,
				offsetof(struct wire_probe_call, key));
		recipe_skip_if(recipe, number, RECIPE_NOT_EQUAL, key, end);
		recipe_load_own(recipe, number, emit->frame, cell);
		recipe_compute_constant(recipe, RECIPE_PLUS, number, 1);
	}
	recipe_store(recipe, emit->frame, cell, number, 8);
	recipe_place_label(recipe, end);
	recipe_give_back(recipe, number);
	recipe_give_back(recipe, key);
	drop_row(emit);
}

/* Whether a point's row was written before: at an entry, or where a loop was entered. */
static bool has_before(const struct probe_emit *emit)
{
	return emit->site->place == PROBE_RETURN || emit->site->place == PROBE_LOOP;
}

/* Whether the probe's own condition, or an action, needs the row. */
static bool condition_needs_row(const struct probe_emit *emit)
{
	return probe_term_needs_frame(emit->module, emit->site->function,
				      emit->site->probe->condition);
}

static bool needs_row(const struct probe_emit *emit, const struct probe_action *action)
{
	return condition_needs_row(emit) ||
	       probe_action_needs_frame(emit->module, emit->site->function, action);
}

/* All actions. Those for which nothing is known of the call's entry are lost. */
static void emit_actions(struct probe_emit *emit)
{
	const struct probe *probe = emit->site->probe;
	struct recipe *recipe = emit->recipe;
	int end = recipe_label(recipe);
	bool lost = emit->frame < 0 && condition_needs_row(emit);
	uint32_t node;

	if (probe->condition != PROBE_NO_TERM && !lost) {
		struct probe_type type;
		struct trm_error *error;

		emit->error = end;
		emit->site->nodes.count = 0;
		error = probe_make_node(emit->site, probe->condition, &node, &type);
		if (!error)
			probe_emit_branch(emit, node, false, end);
		trm_error_destroy(error);
	}
	vector_for_each (&probe->actions, action) {
		bool without =
			emit->frame < 0 && has_before(emit) && needs_row(emit, action);

		if (!without)
			probe_emit_action(emit, action);
		else if (action->kind < PROBE_SET_THREAD)
			probe_emit_count(emit, action, PROBE_CELL_LOST);
	}
	recipe_place_label(recipe, end);
}

static bool any_needs_row(const struct probe_emit *emit)
{
	vector_for_each (&emit->site->probe->actions, action) {
		if (action->kind == PROBE_SET_CALL)
			return true;
		if (has_before(emit) && needs_row(emit, action))
			return true;
	}
	return false;
}

static void emit_probe(struct probe_emit *emit)
{
	struct recipe *recipe = emit->recipe;
	int key, found, miss, end;

	if (!any_needs_row(emit)) {
		emit_actions(emit);
		return;
	}
	miss = recipe_label(recipe);
	end = recipe_label(recipe);
	find_row(emit, &key);
	if (has_before(emit)) {
		found = recipe_take(recipe);
		recipe_load_own(recipe, found, emit->frame,
				offsetof(struct wire_probe_call, key));
		recipe_skip_if(recipe, found, RECIPE_NOT_EQUAL, key, miss);
		recipe_give_back(recipe, found);
	}
	recipe_give_back(recipe, key);
	emit_actions(emit);
	drop_row(emit);
	if (has_before(emit)) {
		recipe_skip(recipe, end);
		recipe_place_label(recipe, miss);
		emit_actions(emit);
	}
	recipe_place_label(recipe, end);
}

/* Bytes that a memory operand of the point's instruction has; 0: not known. */
static uint16_t operand_size(const struct point_function *function,
			     const struct point *point, uint16_t operand)
{
	struct recipe_operand operands[RECIPE_OPERANDS_MAX];
	const struct cfg_instruction *row;
	size_t count;

	if (point->where != POINT_BEFORE && point->where != POINT_AFTER)
		return 0;
	row = &function->cfg->instructions.items[point->at];
	count = recipe_operands(function->cfg->bytes + row->offset, row->length,
				operands);
	return operand < count ? operands[operand].size : 0;
}

/* Where a point is in its function: of an edge, the branch. */
static uint32_t offset_of(const struct point_function *function,
			  const struct point *point)
{
	const struct cfg *cfg = function->cfg;
	const struct cfg_block *block;

	switch (point->where) {
	case POINT_BEFORE:
	case POINT_AFTER:
		return cfg->instructions.items[point->at].offset;
	case POINT_EDGE:
		block = &cfg->blocks.items[cfg->edges.items[point->at].from];
		return cfg->instructions.items[block->first + block->count - 1].offset;
	default:
		return 0;
	}
}

void probe_source_emit(void *context, const struct point_function *function,
		       const struct point *point, struct recipe *recipe)
{
	struct probe_module *module = context;
	struct probe_recipe own = probe_recipe_of(point->recipe);
	const struct probe *probe = &module->program->probes.items[own.probe];
	const struct image_function *rows = function->image->functions.items;
	const bool counts_trips =
		own.step == PROBE_LOOP_ENTER || own.step == PROBE_LOOP_AGAIN;
	struct probe_site site = {
		.program = module->program,
		.probe = probe,
		.place = own.keep || counts_trips ? PROBE_ENTRY
						  : probe->points.items[own.point].place,
		.tail = own.tail,
		.image = function->image,
		.types = module->has_types ? &module->types : NULL,
		.lack = module->lack,
		.function = rows[function->owner].address,
		.address = rows[function->index].address,
		.keep = probe_module_keep,
		.context = module,
	};
	struct probe_emit emit = {.recipe = recipe,
				  .module = module,
				  .site = &site,
				  .frame = -1,
				  .loop = own.step ? own.operand : -1,
				  .operand = own.operand};

	if (own.step)
		site.header = site.address + own.header;
	site.address += offset_of(function, point);
	emit.size = operand_size(function, point, own.operand);
	if (counts_trips)
		emit_trips(&emit, own.step);
	else if (own.keep)
		emit_keeping(&emit);
	else
		emit_probe(&emit);
	vector_deinit(&site.nodes);
}
