#include "code/points/recipe_state.h"

#include "code/points/recipe_code.h"

enum { WORD = 8 };

static uint16_t bit_of(int number)
{
	return (uint16_t)(1u << (number & 15));
}

void recipe_fail(struct recipe *recipe, enum point_trouble trouble)
{
	if (!recipe->trouble)
		recipe->trouble = (uint8_t)trouble;
}

void recipe_spoil_flags(struct recipe *recipe)
{
	recipe->flags |= recipe->place->flags != 0;
}

bool recipe_flags_are_free(const struct recipe *recipe)
{
	return !recipe->place->flags || recipe->known_flags;
}

bool recipe_keeps_flags(const struct recipe *recipe)
{
	return recipe->place->flags || recipe->flags || recipe->known_flags;
}

/* Registers whose values need not be kept. */
uint16_t recipe_free_registers(const struct recipe *recipe)
{
	return (uint16_t) ~(recipe->place->live | recipe->known_read | recipe->read |
			    bit_of(RSP));
}

static unsigned count_saved(const struct recipe *recipe)
{
	return (unsigned)__builtin_popcount(recipe->known_saved);
}

bool recipe_uses_stack(const struct recipe *recipe)
{
	return recipe->known_stack || recipe->known_saved ||
	       (recipe->known_flags && recipe->known_aside);
}

uint32_t recipe_depth(const struct recipe *recipe)
{
	if (!recipe_uses_stack(recipe))
		return 0;
	return RECIPE_RED_ZONE + WORD * (count_saved(recipe) +
					 (recipe->known_flags && recipe->known_aside));
}

/* Registers are pushed in ascending order. */
static uint32_t offset_of_saved(const struct recipe *recipe, int number)
{
	unsigned above = (unsigned)__builtin_popcount(recipe->known_saved >> number >> 1);

	return WORD * (above + (recipe->known_flags && recipe->known_aside));
}

bool recipe_is_in_place(struct recipe *recipe, int number, uint32_t *ret_offset)
{
	bool spoiled = recipe->spoiled & bit_of(number) ||
		       (number == RAX && recipe->known_flags);

	recipe->read |= bit_of(number);
	if (number == RSP || !spoiled)
		return true;
	*ret_offset = offset_of_saved(recipe, number);
	return false;
}

void recipe_load_register(struct recipe *recipe, int to, int number)
{
	uint32_t offset = 0;

	if (!recipe_is_in_place(recipe, number, &offset))
		recipe_op_memory(recipe, OP_LOAD, true, to, RSP, (int32_t)offset);
	else if (number == RSP)
		recipe_op_memory(recipe, OP_LEA, true, to, RSP,
				 (int32_t)recipe_depth(recipe));
	else if (to != number)
		recipe_op(recipe, OP_STORE, true, number, to);
}

uint32_t recipe_place_of_slot(const struct recipe *recipe, uint32_t slot)
{
	uint32_t base = slot & RECIPE_MODULE_SLOT ? recipe->place->module_slot
						  : recipe->place->first_slot;

	return WORD * (base + (slot & ~(uint32_t)RECIPE_MODULE_SLOT));
}
