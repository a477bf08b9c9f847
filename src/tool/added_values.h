/*
 * Values of arguments at a point: those that the engine has, and those that are computed
 * from them.
 */
#ifndef TRAMMEL_TOOL_ADDED_VALUES_H
#define TRAMMEL_TOOL_ADDED_VALUES_H

#include "code/points/recipe.h"
#include "code/relocate/cfg.h"
#include "tool/added.h"

enum { ADDED_NO_EDGE = UINT32_MAX };

/* The place of what is added. */
struct added_place {
	const struct cfg *cfg;
	const struct added *item;
	uint32_t number; /* of the instruction that it is about, in the graph */
	uint32_t edge;   /* of an edge: its number; else ADDED_NO_EDGE */
};

/* How many words an item behind instruction `number` needs: for an address, or a number
 * of bytes, that is no longer known there. */
uint8_t added_values_words(const struct cfg *cfg, uint32_t number,
			   const struct added *item);

/* Writes the code that fills these words, in front of the instruction. */
void added_values_fill(const struct added_place *place, struct recipe *recipe);

/* Whether a value at a switch depends on where that goes: it is known on its edges. */
bool added_values_by_edge(const struct trammel_argument *argument);

/* Adds the bytes of a static argument that has some to `data`, and notes their distance
 * there in its value. False: there is no room. */
bool added_values_keep(struct point_data *data, struct trammel_argument *argument);

/* Makes an argument a value for the engine. `ret_taken`: a register that the caller gives
 * back when it has used it; -1: none. */
struct recipe_value added_values_load(const struct added_place *place,
				      struct recipe *recipe,
				      const struct trammel_argument *argument,
				      int *ret_taken);

#endif
