/*
 * Functions that pass status flags: assembly may return them or take them as arguments,
 * and probes must preserve them there. That a function returns flags shows in its
 * callers, so all callers must be examined before any function is written, or all are
 * written again. The flow graphs of all functions would take a third of the time of
 * writing them; so a graph is made only where the straight line of instructions behind a
 * call does not overwrite all flags.
 */
#ifndef TRAMMEL_CODE_PLANNER_FLAG_CALLS_H
#define TRAMMEL_CODE_PLANNER_FLAG_CALLS_H

#include "code/builder/plan_builder.h"

/* Fills in builder->flags.returned, and keep_flags of the choices of functions at whose
 * entries flags are alive. */
void flag_calls_find(struct plan_builder *builder);

#endif
