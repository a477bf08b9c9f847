/* Counters in recipes. */
#include "code/points/recipe_count.h"

#include "code/points/recipe.h"
#include "code/points/recipe_code.h"
#include "code/points/recipe_state.h"
#include "x86/flags.h"

/* Writes an instruction with a counter, or with a word. */
typedef void op_writer(struct recipe *recipe, uint16_t opcode, int reg, uint32_t slot,
		       int index);

/* Adds without changing flags. */
static void add_gently(struct recipe *recipe, op_writer *op, uint32_t slot, int number,
		       int32_t constant)
{
	const int sum = recipe_take(recipe);

	op(recipe, OP_LOAD, sum, slot, -1);
	if (number >= 0)
		recipe_op_indexed(recipe, OP_LEA, sum, sum, number, 1, 0);
	else
		recipe_op_memory(recipe, OP_LEA, true, sum, sum, constant);
	op(recipe, OP_STORE, sum, slot, -1);
	recipe_give_back(recipe, sum);
}

static void write_constant(struct recipe *recipe, int32_t constant)
{
	if (constant == (int8_t)constant)
		emit_byte(recipe->emitter, (uint8_t)constant);
	else
		emit_word32(recipe->emitter, (uint32_t)constant);
}

static void add_constant(struct recipe *recipe, op_writer *op, uint32_t slot, int index,
			 int32_t constant)
{
	op(recipe, constant == (int8_t)constant ? OP_GROUP1_BYTE : OP_GROUP1, 0, slot,
	   index);
	write_constant(recipe, constant);
}

static void count_in(struct recipe *recipe, op_writer *op, uint32_t slot,
		     int32_t constant)
{
	if (recipe_flags_are_free(recipe))
		add_constant(recipe, op, slot, -1, constant);
	else if (constant == 1 && recipe->place->flags == FLAGS_CARRY)
		op(recipe, OP_INC, 0, slot, -1);
	else
		add_gently(recipe, op, slot, -1, constant);
}

void recipe_count(struct recipe *recipe, uint32_t slot, int32_t constant)
{
	count_in(recipe, recipe_op_slot, slot, constant);
}

void recipe_count_word(struct recipe *recipe, uint32_t slot, int32_t constant)
{
	count_in(recipe, recipe_op_word, slot, constant);
}

void recipe_add(struct recipe *recipe, uint32_t slot, int number)
{
	if (recipe_flags_are_free(recipe))
		recipe_op_slot(recipe, OP_ADD_TO, number, slot, -1);
	else
		add_gently(recipe, recipe_op_slot, slot, number, 0);
}

/* The index, or count - 1 if it is not below count. */
static int bound_index(struct recipe *recipe, int index, uint32_t count)
{
	const int bound = recipe_take(recipe);

	recipe_spoil_flags(recipe);
	recipe_move_constant(recipe, bound, count - 1);
	recipe_op(recipe, OP_COMPARE, true, bound, index);
	/* cmovb */
	recipe_op(recipe, 0x0f42, true, bound, index);
	return bound;
}

void recipe_count_indexed(struct recipe *recipe, uint32_t slot, int index, uint32_t count,
			  int32_t constant)
{
	const int bound = bound_index(recipe, index, count);

	add_constant(recipe, recipe_op_slot, slot, bound, constant);
	recipe_give_back(recipe, bound);
}

void recipe_count_word_indexed(struct recipe *recipe, uint32_t slot, int index,
			       uint32_t count, int32_t constant)
{
	const int bound = bound_index(recipe, index, count);

	add_constant(recipe, recipe_op_word, slot, bound, constant);
	recipe_give_back(recipe, bound);
}

void recipe_add_indexed(struct recipe *recipe, uint32_t slot, int index, uint32_t count,
			int number)
{
	const int bound = bound_index(recipe, index, count);

	recipe_op_slot(recipe, OP_ADD_TO, number, slot, bound);
	recipe_give_back(recipe, bound);
}

void recipe_max(struct recipe *recipe, uint32_t slot, int number)
{
	const int end = recipe_label(recipe);

	recipe_spoil_flags(recipe);
	recipe_op_slot(recipe, OP_COMPARE_WITH, number, slot, -1);
	recipe_branch(recipe, 0x80 | RECIPE_AT_MOST, end);
	recipe_op_slot(recipe, OP_STORE, number, slot, -1);
	recipe_place_label(recipe, end);
}

void recipe_min(struct recipe *recipe, uint32_t slot, int number)
{
	enum { NOT = 2 };
	const int complement = recipe_take(recipe);

	recipe_op(recipe, OP_STORE, true, number, complement);
	recipe_op(recipe, OP_GROUP3, true, NOT, complement);
	recipe_max(recipe, slot, complement);
	recipe_give_back(recipe, complement);
}

void recipe_load_word(struct recipe *recipe, int number, uint32_t slot)
{
	recipe_op_word(recipe, OP_LOAD, number, slot, -1);
}

void recipe_store_word(struct recipe *recipe, uint32_t slot, int number)
{
	recipe_op_word(recipe, OP_STORE, number, slot, -1);
}

/* The address of the bank, and the counter's displacement in it. */
void recipe_slot_address(struct recipe *recipe, int number, uint32_t slot)
{
	struct emitter *emitter = recipe->emitter;

	recipe_op_bank(recipe, OP_LOAD, true, number, recipe->place->layout->self);
	/* lea displacement(number), number, with 4 bytes of displacement */
	emit_byte(emitter, (uint8_t)(0x48 | number >> 3 << 2 | number >> 3));
	emit_byte(emitter, OP_LEA);
	emit_byte(emitter, (uint8_t)(0x80 | (number & 7) << 3 | (number & 7)));
	if ((number & 7) == RSP)
		emit_byte(emitter, 0x24);
	emit_slot(emitter, recipe_place_of_slot(recipe, slot));
}
