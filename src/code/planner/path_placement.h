/*
 * Probes of paths in a function that is relocated whole.
 */
#ifndef TRAMMEL_CODE_PLANNER_PATH_PLACEMENT_H
#define TRAMMEL_CODE_PLANNER_PATH_PLACEMENT_H

#include "code/builder/plan_builder.h"

/*
 * Has the paths of the current function counted, whose blocks and edges have rows in the
 * plan; `passes`: by edge, how often it is passed, as is known or estimated. False: they
 * cannot be, so that edges are to be counted: it calls a function that returns twice
 * (setjmp), a probe has no place, or flags are alive at one that changes them. The
 * counters of paths follow row->slot, which must be the last one that was allocated.
 */
bool path_placement_choose(struct plan_builder *builder, struct plan_function *row,
			   const float *passes);

#endif
