/*
 * Choosing the edges and blocks of a function that get counters.
 */
#ifndef TRAMMEL_CODE_PLANNER_COUNTER_PLACEMENT_H
#define TRAMMEL_CODE_PLANNER_COUNTER_PLACEMENT_H

#include "code/builder/plan_builder.h"

/*
 * Chooses the edges and blocks of a function that get counters, and allocates slots for
 * them, in the plan and in builder->current.whole. Rows of its blocks must exist. False,
 * with nothing changed, if not all counts could be derived.
 */
bool counter_placement_choose(struct plan_builder *builder, struct plan_function *row);

#endif
