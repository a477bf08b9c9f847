/*
 * Counters, in recipes: see code/points/recipe.h.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_COUNT_H
#define TRAMMEL_CODE_POINTS_RECIPE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct recipe;

/* The name of a counter of the module, for the functions below. */
enum { RECIPE_MODULE_SLOT = 1u << 30 };
static inline uint32_t recipe_module_slot(uint32_t slot)
{
	return slot | RECIPE_MODULE_SLOT;
}

/* Adds a constant, or a register, to a counter. */
void recipe_count(struct recipe *recipe, uint32_t slot, int32_t constant);
void recipe_add(struct recipe *recipe, uint32_t slot, int number);
/* Adds a constant, or register `number`, to counter `slot` + register `index`, unsigned;
 * to the last one (`slot` + `count` - 1) if it is not below `count`. */
void recipe_count_indexed(struct recipe *recipe, uint32_t slot, int index, uint32_t count,
			  int32_t constant);
void recipe_add_indexed(struct recipe *recipe, uint32_t slot, int index, uint32_t count,
			int number);
/* Has a counter of maxima be at least a register, as an unsigned number; or keep the
 * smallest one, as the complement of that: all counters are 0 at first. */
void recipe_max(struct recipe *recipe, uint32_t slot, int number);
void recipe_min(struct recipe *recipe, uint32_t slot, int number);
/* A counter as a word of the thread, with 0 at first: one that is nothing else, since
 * words do not depend on phases. */
void recipe_load_word(struct recipe *recipe, int number, uint32_t slot);
void recipe_store_word(struct recipe *recipe, uint32_t slot, int number);
void recipe_count_word(struct recipe *recipe, uint32_t slot, int32_t constant);
void recipe_count_word_indexed(struct recipe *recipe, uint32_t slot, int index,
			       uint32_t count, int32_t constant);
/* Address of such a word in the bank of the thread. */
void recipe_slot_address(struct recipe *recipe, int number, uint32_t slot);

#endif
