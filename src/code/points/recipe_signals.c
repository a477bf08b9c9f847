#include "code/points/recipe_signals.h"

#include "code/points/recipe_code.h"
#include "code/points/recipe_state.h"

static uint16_t bit_of(int number)
{
	return (uint16_t)(1u << (number & 15));
}

bool recipe_can_unmake(struct recipe *recipe)
{
	recipe->unmade = recipe->once && !recipe->known_far;
	return recipe->unmade;
}

/* What delivers signals changes these: where they may be in use, they are kept. */
static const uint8_t unmask_changes[] = {RAX, 10, 11};

static void call_unmask(struct recipe *recipe, uint16_t spoiled)
{
	const size_t count = sizeof(unmask_changes);

	for (size_t i = 0; i < count; i++)
		if (!(spoiled & bit_of(unmask_changes[i])))
			recipe_push(recipe, unmask_changes[i]);
	recipe_call_word(recipe, recipe->place->layout->unmask);
	for (size_t i = count; i--;)
		if (!(spoiled & bit_of(unmask_changes[i])))
			recipe_pop(recipe, unmask_changes[i]);
}

void recipe_deliver_signals(struct recipe *recipe, uint16_t spoiled)
{
	const int end = recipe_label(recipe);

	recipe_op_bank(recipe, OP_GROUP1_BYTE, false, 7, recipe->place->layout->masked);
	emit_byte(recipe->emitter, 0);
	recipe_branch_short(recipe, RECIPE_EQUAL, end);
	call_unmask(recipe, spoiled);
	recipe_place_label(recipe, end);
}
