#include "code/points/recipe.h"

#include "code/points/recipe_code.h"
#include "code/points/recipe_state.h"
#include "x86/flags.h"
#include "x86/operands.h"

#include <string.h>

static uint16_t bit_of(int number)
{
	return (uint16_t)(1u << (number & 15));
}

static int spoil_register(struct recipe *recipe, int number)
{
	recipe->taken |= bit_of(number);
	recipe->spoiled |= bit_of(number);
	if (!(recipe_free_registers(recipe) & bit_of(number)))
		recipe->saved |= bit_of(number);
	return number;
}

/* Candidates: those spoiled already, then free ones, then those that must be saved. */
int recipe_take(struct recipe *recipe)
{
	static const uint8_t order[] = {RCX, RDX, RSI, RDI, 8,  11, 10, 9,
					RAX, RBX, 12,  13,  14, 15, RBP};
	const uint16_t kinds[] = {recipe->spoiled, recipe_free_registers(recipe),
				  (uint16_t) ~(recipe->read | recipe->known_read),
				  UINT16_MAX};

	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
		for (size_t i = 0; i < sizeof(order); i++) {
			const int number = order[i];

			if (kinds[kind] & ~recipe->taken & bit_of(number) &&
			    (number != RAX || !recipe_keeps_flags(recipe)))
				return spoil_register(recipe, number);
		}
	recipe_fail(recipe, POINT_TOO_LONG);
	return RCX;
}

int recipe_take_number(struct recipe *recipe, int number)
{
	if (recipe->taken & bit_of(number) || number == RSP) {
		recipe_fail(recipe, POINT_TOO_LONG);
		return number;
	}
	recipe->aside |= number == RAX && recipe_keeps_flags(recipe);
	return spoil_register(recipe, number);
}

void recipe_give_back(struct recipe *recipe, int number)
{
	recipe->taken &= (uint16_t)~bit_of(number);
}

int recipe_take_aside(struct recipe *recipe)
{
	const int first = recipe_take(recipe);
	int number;

	if (recipe->trouble || (first != RAX && first != RDX))
		return first;
	number = recipe_take_aside(recipe);
	recipe_give_back(recipe, first);
	return number;
}

int recipe_borrow(struct recipe *recipe, int number)
{
	int kept;

	if (!(recipe->taken & bit_of(number))) {
		recipe_take_number(recipe, number);
		return -1;
	}
	kept = recipe_take(recipe);
	recipe_op(recipe, OP_STORE, true, number, kept);
	return kept;
}

void recipe_return_borrowed(struct recipe *recipe, int number, int kept)
{
	if (kept < 0) {
		recipe_give_back(recipe, number);
		return;
	}
	recipe_op(recipe, OP_STORE, true, kept, number);
	recipe_give_back(recipe, kept);
}

size_t recipe_operands(const uint8_t *bytes, size_t size,
		       struct recipe_operand ret_operands[RECIPE_OPERANDS_MAX])
{
	struct operands operands;
	size_t count = 0;

	if (!operands_read(bytes, size, &operands))
		return 0;
	for (; count < operands.memory_count && count < RECIPE_OPERANDS_MAX; count++) {
		const struct operands_memory *memory = &operands.memory[count];

		ret_operands[count] = (struct recipe_operand){
			.size = memory->size > UINT8_MAX || memory->repeated
					? 0
					: (uint8_t)memory->size,
			.unit = memory->size > UINT8_MAX ? 0 : (uint8_t)memory->size,
			.reads = memory->reads,
			.writes = memory->writes,
			.stack = memory->stack,
			.gathered = memory->odd,
			.repeated = memory->repeated,
		};
	}
	return count;
}
