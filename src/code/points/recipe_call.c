#include "code/points/recipe_call.h"

#include "code/points/recipe_code.h"
#include "code/points/recipe_signals.h"
#include "code/points/recipe_state.h"

enum { WORD = 8, ARGUMENTS = RECIPE_ARGUMENTS_MAX };

static const uint8_t argument_registers[ARGUMENTS] = {RDI, RSI, RDX, RCX, 8, 9};

static uint16_t bit_of(int number)
{
	return (uint16_t)(1u << number);
}

/* Spoils what the routine and the call itself change; flags may be in rax no more. */
static void spoil_registers(struct recipe *recipe, const struct recipe_routine *routine,
			    size_t count)
{
	uint16_t changed = routine->changes;

	if (!routine->direct)
		changed |= bit_of(RAX) | bit_of(10) | bit_of(11);
	for (size_t i = 0; i < count; i++)
		changed |= bit_of(argument_registers[i]);
	recipe->spoiled |= changed;
	recipe->saved |= (uint16_t)(changed & ~recipe_free_registers(recipe));
	if (changed & bit_of(RAX))
		recipe->aside |= recipe_keeps_flags(recipe);
	recipe->stack = true;
	recipe_spoil_flags(recipe);
}

/* Whether some argument is in a register that another one is loaded into. */
static bool are_crossed(const struct recipe_value *arguments, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			if (i != j && arguments[i].kind == RECIPE_TAKEN_REGISTER &&
			    arguments[i].number == argument_registers[j])
				return true;
	return false;
}

/* Stores registers that were taken above the return address of the call to come, in the
 * free part of the frame. */
static void put_aside(struct recipe *recipe, const struct recipe_value *arguments,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (arguments[i].kind == RECIPE_TAKEN_REGISTER)
			recipe_op_memory(recipe, OP_STORE, true, arguments[i].number, RSP,
					 -(int32_t)(WORD * (i + 2)));
}

/* The program's values come from where they are saved, so none is overwritten before it
 * is read. */
static void load_arguments(struct recipe *recipe, const struct recipe_value *arguments,
			   size_t count)
{
	const bool crossed = are_crossed(arguments, count);
	uint16_t loaded = 0;

	if (crossed)
		put_aside(recipe, arguments, count);
	for (size_t i = 0; i < count; i++) {
		const int to = argument_registers[i];

		/* Values may need others meanwhile. */
		recipe->taken |= bit_of(to);
		loaded |= bit_of(to);
		if (crossed && arguments[i].kind == RECIPE_TAKEN_REGISTER)
			recipe_op_memory(recipe, OP_LOAD, true, to, RSP,
					 -(int32_t)(WORD * (i + 2)));
		else
			recipe_value(recipe, to, arguments[i]);
	}
	recipe->taken &= (uint16_t)~loaded;
}

void recipe_calls_once(struct recipe *recipe)
{
	recipe->once = true;
}

/* By the address in a word of the bank, on the program's stack. Where that is all,
 * signals that are put off meanwhile are delivered by what the routine then returns to.
 */
static void call_directly(struct recipe *recipe, const struct recipe_routine *routine)
{
	recipe_can_unmake(recipe);
	recipe_call_word(recipe,
			 recipe->place->layout->routines + (routine->direct - 1u) * WORD);
}

/* By the resident, which changes stacks. */
static void call_resident(struct recipe *recipe, const struct recipe_routine *routine)
{
	recipe_move_constant(recipe, RAX,
			     routine->word << RECIPE_CALL_SHIFT |
				     (routine->vectors ? RECIPE_CALL_VECTORS : 0u) |
				     (routine->thread_pointer ? RECIPE_CALL_THREAD : 0u));
	recipe_call_word(recipe, recipe->place->layout->call);
}

void recipe_call(struct recipe *recipe, const struct recipe_routine *routine,
		 const struct recipe_value *arguments, size_t count)
{
	const uint16_t taken = recipe->taken;

	if (count > ARGUMENTS || routine->word >= RECIPE_ROUTINES_MAX ||
	    recipe->call_count + 1 >= RECIPE_CALLS_MAX) {
		recipe_fail(recipe, POINT_TOO_LONG);
		return;
	}
	spoil_registers(recipe, routine, count);
	load_arguments(recipe, arguments, count);
	recipe->taken = taken;
	if (routine->direct)
		call_directly(recipe, routine);
	else
		call_resident(recipe, routine);
	recipe->calls[recipe->call_count++] = (uint32_t)recipe->emitter->count;
}

void recipe_replace(struct recipe *recipe, const struct recipe_routine *routine,
		    const struct recipe_value *arguments, size_t count)
{
	const struct recipe_place *place = recipe->place;
	struct recipe_routine called = *routine;
	struct recipe_value values[ARGUMENTS];
	const int result = recipe_take(recipe);

	if (place->where != POINT_ENTRY || place->flags || count >= ARGUMENTS) {
		recipe_fail(recipe, POINT_NO_PLACE);
		return;
	}
	if (!place->may_return)
		recipe_fail(recipe, POINT_COUNTED);
	/* movq $0, done */
	recipe_op_bank(recipe, OP_STORE_CONSTANT, true, 0, place->layout->done);
	emit_word32(recipe->emitter, 0);
	recipe_value(recipe, result, (struct recipe_value){.kind = RECIPE_BANK});
	recipe_op_memory(recipe, OP_LEA, true, result, result,
			 (int32_t)place->layout->result);
	values[0] = recipe_taken(result);
	for (size_t i = 0; i < count; i++)
		values[i + 1] = arguments[i];
	/* Only the resident notes what a routine returns. */
	called.direct = 0;
	recipe_call(recipe, &called, values, count + 1);
	recipe_give_back(recipe, result);
	recipe->replaces = true;
}
