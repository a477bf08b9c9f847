/*
 * Functions that are relocated whole: choosing what is counted, and writing them into the
 * plan.
 */
#ifndef TRAMMEL_CODE_PLANNER_BLOCKS_H
#define TRAMMEL_CODE_PLANNER_BLOCKS_H

#include "code/builder/plan_builder.h"

/*
 * Relocates function `index` whole, with counters for its blocks, and fills in its row.
 * False if that cannot be, and nothing is changed then.
 */
bool blocks_instrument(struct plan_builder *builder, uint32_t index,
		       struct plan_function *row);

/* Notes what calls of a function return flags, and whether it takes some itself. */
void blocks_note_flags(struct plan_builder *builder, uint32_t index);

/* The one block of a function that has no other, which the counter of its calls counts.
 */
void blocks_add_single(struct plan_builder *builder, uint32_t index,
		       struct plan_function *row);

#endif
