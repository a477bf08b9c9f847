/*
 * Functions that are relocated whole: choosing the counters, and writing them into the
 * plan.
 */
#ifndef TRAMMEL_CODE_PLANNER_BLOCKS_H
#define TRAMMEL_CODE_PLANNER_BLOCKS_H

#include "code/builder/plan_builder.h"

/*
 * Relocates function `index` whole, with counters for its blocks, and fills in its row.
 * False, with nothing changed, if that is not possible.
 */
bool blocks_instrument(struct plan_builder *builder, uint32_t index,
		       struct plan_function *row);

/* Tells the plan of the points of a function that is not relocated whole: they have no
 * code. */
void blocks_tell_points(struct plan_builder *builder, uint32_t index);

/* Notes which calls of a function return flags, and whether it takes any itself. */
void blocks_note_flags(struct plan_builder *builder, uint32_t index);

/* Adds the single block of a function that has no other; the counter of its calls counts
 * it. */
void blocks_add_single(struct plan_builder *builder, uint32_t index,
		       struct plan_function *row);

#endif
