/* Records in buffers, in recipes. */
#include "code/points/recipe_buffer.h"

#include "code/points/recipe.h"
#include "code/points/recipe_code.h"
#include "code/points/recipe_state.h"

enum { WORD = 8, PUSH_RAX = 0x50, POP_RAX = 0x58 };

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
	emit_byte(recipe->emitter, PUSH_RAX);
	recipe_move_constant(recipe, RAX,
			     buffer << RECIPE_CALL_BUFFER_SHIFT |
				     routine->word << RECIPE_CALL_SHIFT |
				     (routine->vectors ? RECIPE_CALL_VECTORS : 0u) |
				     (routine->thread_pointer ? RECIPE_CALL_THREAD : 0u) |
				     RECIPE_CALL_KEEPS);
	recipe_call_word(recipe, recipe->place->layout->call);
	recipe->calls[recipe->call_count++] = (uint32_t)recipe->emitter->count;
	emit_byte(recipe->emitter, POP_RAX);
	if (lowers)
		recipe_op_memory(recipe, OP_LEA, true, RSP, RSP, RECIPE_RED_ZONE);
}

/* Loads where the next record goes; branches if the comparison with the end is true. */
static void load_cursor(struct recipe *recipe, const struct recipe_record *record,
			enum recipe_condition condition, int label)
{
	recipe_op_bank(recipe, OP_LOAD, true, record->cursor,
		       word_of(recipe, record->buffer, 0));
	recipe_op_bank(recipe, OP_COMPARE_WITH, true, record->cursor,
		       word_of(recipe, record->buffer, 1));
	recipe_branch(recipe, (uint8_t)(0x80 | condition), label);
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
	load_cursor(recipe, &record, RECIPE_BELOW, room);
	call_kept(recipe, buffer, routine);
	load_cursor(recipe, &record, RECIPE_AT_LEAST, record.full);
	recipe_place_label(recipe, room);
	*ret_record = record;
}

void recipe_record_end(struct recipe *recipe, const struct recipe_record *record,
		       uint32_t size)
{
	if (size > RECIPE_RECORD_MAX)
		recipe_fail(recipe, POINT_TOO_LONG);
	recipe_op_memory(recipe, OP_LEA, true, record->cursor, record->cursor,
			 (int32_t)size);
	recipe_op_bank(recipe, OP_STORE, true, record->cursor,
		       word_of(recipe, record->buffer, 0));
	recipe_place_label(recipe, record->full);
	recipe_give_back(recipe, record->cursor);
}
