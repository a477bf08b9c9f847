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

enum { CURSOR, END, BASE = 3 }; /* words of a buffer */

static void load_word(struct recipe *recipe, const struct recipe_record *record,
		      uint32_t word)
{
	recipe_op_bank(recipe, OP_LOAD, true, record->cursor,
		       word_of(recipe, record->buffer, word));
}

static void move_cursor(struct recipe *recipe, const struct recipe_record *record,
			int32_t by)
{
	if (by)
		recipe_op_memory(recipe, OP_LEA, true, record->cursor, record->cursor,
				 by);
}

static void compare_word(struct recipe *recipe, const struct recipe_record *record,
			 uint32_t word)
{
	recipe_op_bank(recipe, OP_COMPARE_WITH, true, record->cursor,
		       word_of(recipe, record->buffer, word));
}

/* Loads where the next record goes, and compares whether this one and what follows it in
 * its run begin in front of the end. */
static void load_cursor(struct recipe *recipe, const struct recipe_record *record)
{
	const int32_t rest =
		(record->run.count - 1 - record->run.index) * record->run.size;

	load_word(recipe, record, CURSOR);
	move_cursor(recipe, record, rest);
	compare_word(recipe, record, END);
	move_cursor(recipe, record, -rest);
}

/* Notes where the first record of the run is, or would be. */
static void note_base(struct recipe *recipe, const struct recipe_record *record)
{
	const int32_t before = record->run.index * record->run.size;

	if (record->run.count == 1)
		return;
	move_cursor(recipe, record, -before);
	recipe_op_bank(recipe, OP_STORE, true, record->cursor,
		       word_of(recipe, record->buffer, BASE));
	move_cursor(recipe, record, before);
}

/* Branches if the record follows the others of its run: then there is room. The processor
 * need not wait for the cursor, since it expects that. */
static void expect_place(struct recipe *recipe, const struct recipe_record *record,
			 int label)
{
	if (!record->run.index)
		return;
	load_word(recipe, record, BASE);
	move_cursor(recipe, record, record->run.index * record->run.size);
	compare_word(recipe, record, CURSOR);
	recipe_branch(recipe, 0x80 | RECIPE_EQUAL, label);
}

void recipe_record_begin(struct recipe *recipe, uint32_t buffer,
			 const struct recipe_routine *routine, struct recipe_run run,
			 struct recipe_record *ret_record)
{
	const struct recipe_record record = {.buffer = buffer,
					     .run = run,
					     .cursor = recipe_take(recipe),
					     .full = recipe_label(recipe)};
	const int room = recipe_label(recipe), here = recipe_label(recipe);

	if (buffer >= RECIPE_BUFFERS || routine->word >= RECIPE_ROUTINES_MAX ||
	    run.size > RECIPE_RECORD_MAX || run.index >= run.count ||
	    run.size * run.count > RECIPE_RUN_MAX)
		recipe_fail(recipe, POINT_TOO_LONG);
	recipe_spoil_flags(recipe);
	expect_place(recipe, &record, here);
	load_cursor(recipe, &record);
	recipe_branch_short(recipe, RECIPE_BELOW, room);
	call_kept(recipe, buffer, routine);
	load_cursor(recipe, &record);
	recipe_branch(recipe, 0x80 | RECIPE_AT_LEAST, record.full);
	recipe_place_label(recipe, room);
	note_base(recipe, &record);
	recipe_place_label(recipe, here);
	*ret_record = record;
}

void recipe_record_end(struct recipe *recipe, const struct recipe_record *record)
{
	move_cursor(recipe, record, record->run.size);
	recipe_op_bank(recipe, OP_STORE, true, record->cursor,
		       word_of(recipe, record->buffer, CURSOR));
	recipe_place_label(recipe, record->full);
	recipe_give_back(recipe, record->cursor);
}
