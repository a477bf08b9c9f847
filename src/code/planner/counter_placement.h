/*
 * Choosing which edges and blocks of a function get counters.
 */
#ifndef TRAMMEL_CODE_PLANNER_COUNTER_PLACEMENT_H
#define TRAMMEL_CODE_PLANNER_COUNTER_PLACEMENT_H

#include "code/builder/plan_builder.h"

/*
 * Chooses the edges and blocks of a function that get counters, whose rows of blocks
 * exist, and gives them slots: in the plan and in builder->current.whole. False if not
 * all counts could follow from counters: then nothing is changed.
 */
bool counter_placement_choose(struct plan_builder *builder, struct plan_function *row);

#endif
