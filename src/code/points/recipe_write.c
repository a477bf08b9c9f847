#include "code/points/recipe_write.h"

#include "code/plan/map_row.h"
#include "code/points/recipe.h"
#include "code/points/recipe_code.h"
#include "code/points/recipe_signals.h"

#include <string.h>

static uint16_t bit_of(int number)
{
	return (uint16_t)(1u << (number & 15));
}

/* lahf; seto %al; [push %rax] */
static void save_flags(struct recipe *recipe)
{
	static const uint8_t save[] = {0x9f, 0x0f, 0x90, 0xc0};

	if (!recipe->known_flags)
		return;
	emit_bytes(recipe->emitter, save, sizeof(save));
	if (recipe->known_aside)
		recipe_push(recipe, RAX);
}

/* [pop %rax]; add $127, %al; sahf */
static void restore_flags(struct recipe *recipe)
{
	static const uint8_t restore[] = {0x04, 0x7f, 0x9e};

	if (!recipe->known_flags)
		return;
	if (recipe->known_aside)
		recipe_pop(recipe, RAX);
	emit_bytes(recipe->emitter, restore, sizeof(restore));
}

static void move_stack(struct recipe *recipe, int32_t by)
{
	if (recipe_uses_stack(recipe))
		recipe_op_memory(recipe, OP_LEA, true, RSP, RSP, by);
}

static void begin_code(struct recipe *recipe)
{
	move_stack(recipe, -RECIPE_RED_ZONE);
	for (int i = 0; i < RECIPE_REGISTERS; i++)
		if (recipe->known_saved & bit_of(i))
			recipe_push(recipe, i);
	save_flags(recipe);
}

static void end_code(struct recipe *recipe)
{
	if (recipe->call_count && !recipe->unmade)
		recipe_deliver_signals(recipe, recipe->spoiled);
	restore_flags(recipe);
	for (int i = RECIPE_REGISTERS; i--;)
		if (recipe->known_saved & bit_of(i))
			recipe_pop(recipe, i);
	move_stack(recipe, RECIPE_RED_ZONE);
}

/* Flags are kept in rax, which is then saved if it is alive. */
static void note_flags(struct recipe *recipe)
{
	if (recipe->flags && !(recipe_free_registers(recipe) & bit_of(RAX)))
		recipe->saved |= bit_of(RAX);
}

static void fill_branches(struct recipe *recipe)
{
	struct emitter *emitter = recipe->emitter;

	vector_for_each (&recipe->branches, branch) {
		const size_t size = branch->is_short ? 1 : sizeof(int32_t);
		const uint32_t to = recipe->labels[branch->label];
		const int32_t distance = (int32_t)(to - branch->at - size);

		if (!to || (branch->is_short && distance > INT8_MAX))
			recipe_fail(recipe, POINT_NO_PLACE);
		else if (!emitter->full)
			memcpy(emitter->code + branch->at, &distance, size);
	}
	vector_for_each (&recipe->checks, check)
		if (recipe->labels[check->label])
			emitter->plan->points.checks.items[check->at].then =
				recipe->labels[check->label];
}

/* Has the source write its code. */
static void run_source(struct recipe *recipe, struct emitter *emitter,
		       const struct point_source *source,
		       const struct point_function *function, const struct point *point)
{
	recipe->emitter = emitter;
	recipe->taken = recipe->spoiled = recipe->read = recipe->saved = 0;
	recipe->flags = recipe->aside = recipe->stack = false;
	recipe->once = recipe->unmade = false;
	recipe->label_count = 0;
	recipe->branches.count = recipe->checks.count = 0;
	recipe->call_count = 0;
	recipe->copy_count = 0;
	recipe->replaces = false;
	memset(recipe->labels, 0, sizeof(recipe->labels));
	begin_code(recipe);
	source->emit(source->context, function, point, recipe);
	end_code(recipe);
	if (recipe->replaces)
		recipe_call_word(recipe, recipe->place->layout->replace);
	note_flags(recipe);
	fill_branches(recipe);
}

/* Takes over what a writing has found; false if that was known. */
static bool learn_needs(struct recipe *recipe)
{
	/* The code is measured from offset 1 on. */
	const bool is_far = recipe->unmade && recipe->calls[0] >= MAP_ROW_CODE_MAX;
	const bool news = recipe->read & ~recipe->known_read ||
			  recipe->flags > recipe->known_flags ||
			  recipe->aside > recipe->known_aside ||
			  recipe->stack > recipe->known_stack ||
			  is_far > recipe->known_far ||
			  recipe->saved != recipe->known_saved;

	recipe->known_read |= recipe->read;
	recipe->known_flags |= recipe->flags;
	recipe->known_aside |= recipe->aside;
	recipe->known_stack |= recipe->stack;
	recipe->known_far |= is_far;
	recipe->known_saved = recipe->saved;
	return news;
}

static void begin_recipe(struct recipe *recipe, const struct recipe_place *place,
			 const struct recipe_needs *needs)
{
	recipe->place = place;
	recipe->known_saved = needs->saved;
	recipe->known_read = needs->read;
	recipe->known_flags = needs->flags;
	recipe->known_aside = needs->aside;
	recipe->known_stack = needs->stack;
	recipe->known_far = needs->far;
	recipe->trouble = POINT_PLACED;
}

enum point_trouble
recipe_measure(struct recipe *recipe, uint64_t address, const struct recipe_place *place,
	       const struct point_source *source, const struct point_function *function,
	       const struct point *point, struct recipe_needs *ret_needs)
{
	enum { ROUNDS = 6 };
	uint8_t scratch[RECIPE_SCRATCH];
	/* Offset 0 is no label. */
	struct emitter measured = {
		.code = scratch, .capacity = sizeof(scratch), .address = address - 1};
	unsigned round = 0;

	begin_recipe(recipe, place, &(struct recipe_needs){0});
	do {
		measured.count = 1;
		run_source(recipe, &measured, source, function, point);
	} while (learn_needs(recipe) && ++round < ROUNDS);
	if (measured.full || measured.count > POINT_SIZE_MAX || round == ROUNDS)
		recipe_fail(recipe, POINT_TOO_LONG);
	if (measured.reason)
		recipe_fail(recipe, POINT_NOT_RELOCATED);
	*ret_needs = (struct recipe_needs){
		.size = (uint16_t)(measured.count - 1),
		.saved = recipe->known_saved,
		.read = recipe->known_read,
		.flags = recipe->known_flags,
		.aside = recipe->known_aside,
		.stack = recipe->known_stack,
		.far = recipe->known_far,
	};
	return recipe->trouble;
}

void recipe_write(struct recipe *recipe, struct emitter *emitter,
		  const struct recipe_place *place, const struct point_source *source,
		  const struct point_function *function, const struct point *point,
		  const struct recipe_needs *needs)
{
	begin_recipe(recipe, place, needs);
	run_source(recipe, emitter, source, function, point);
}

void recipe_deinit(struct recipe *recipe)
{
	vector_deinit(&recipe->branches);
	vector_deinit(&recipe->checks);
}
