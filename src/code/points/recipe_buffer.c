/* Records in buffers, in recipes. */
#include "code/points/recipe_buffer.h"

#include "code/points/recipe.h"
#include "code/points/recipe_code.h"
#include "code/points/recipe_signals.h"
#include "code/points/recipe_state.h"

enum { WORD = 8 };

static uint32_t word_of(const struct recipe *recipe, uint32_t buffer, uint32_t word)
{
	return recipe->place->layout->buffers + buffer * RECIPE_BUFFER_SIZE + word * WORD;
}

/* Calls the routine; all registers are kept, since it is called seldom: none is saved
 * where there is room. */
static void call_kept(struct recipe *recipe, uint32_t buffer,
		      const struct recipe_routine *routine)
{
	const bool lowers = !recipe_uses_stack(recipe);

	if (recipe->call_count + 1 >= RECIPE_CALLS_MAX) {
		recipe_fail(recipe, POINT_TOO_LONG);
		return;
	}
	if (lowers)
		recipe_op_memory(recipe, OP_LEA, true, RSP, RSP, -RECIPE_RED_ZONE);
	recipe_push(recipe, RAX);
	recipe_move_constant(recipe, RAX,
			     buffer << RECIPE_CALL_BUFFER_SHIFT |
				     routine->word << RECIPE_CALL_SHIFT |
				     (routine->vectors ? RECIPE_CALL_VECTORS : 0u) |
				     (routine->thread_pointer ? RECIPE_CALL_THREAD : 0u) |
				     RECIPE_CALL_KEEPS);
	recipe_call_word(recipe, recipe->place->layout->call);
	recipe->calls[recipe->call_count++] = (uint32_t)recipe->emitter->count;
	if (recipe_can_unmake(recipe))
		recipe_deliver_signals(recipe, 1u << RAX);
	recipe_pop(recipe, RAX);
	if (lowers)
		recipe_op_memory(recipe, OP_LEA, true, RSP, RSP, RECIPE_RED_ZONE);
}

/* Loads where the next record goes, and compares that with the end. */
static void load_cursor(struct recipe *recipe, const struct recipe_record *record)
{
	recipe_op_bank(recipe, OP_LOAD, true, record->cursor,
		       word_of(recipe, record->buffer, 0));
	recipe_op_bank(recipe, OP_COMPARE_WITH, true, record->cursor,
		       word_of(recipe, record->buffer, 1));
}

void recipe_record_begin(struct recipe *recipe, uint32_t buffer,
			 const struct recipe_routine *routine,
			 struct recipe_record *ret_record)
{
	const struct recipe_record record = {.buffer = buffer,
					     .cursor = recipe_take(recipe),
					     .full = recipe_label(recipe)};
	const int room = recipe_label(recipe);

	if (buffer >= RECIPE_BUFFERS || routine->word >= RECIPE_ROUTINES_MAX)
		recipe_fail(recipe, POINT_TOO_LONG);
	recipe_spoil_flags(recipe);
	load_cursor(recipe, &record);
	recipe_branch_short(recipe, RECIPE_BELOW, room);
	call_kept(recipe, buffer, routine);
	load_cursor(recipe, &record);
	recipe_branch(recipe, 0x80 | RECIPE_AT_LEAST, record.full);
	recipe_place_label(recipe, room);
	*ret_record = record;
}

void recipe_record_end(struct recipe *recipe, const struct recipe_record *record,
		       uint32_t size)
{
	if (size > RECIPE_RECORD_MAX)
		recipe_fail(recipe, POINT_TOO_LONG);
	recipe_op_bank(recipe, OP_GROUP1_BYTE, true, 0,
		       word_of(recipe, record->buffer, 0));
	emit_byte(recipe->emitter, (uint8_t)size);
	recipe_place_label(recipe, record->full);
	recipe_give_back(recipe, record->cursor);
}
