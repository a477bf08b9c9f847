/*
 * Which functions pass flags: assembly may return them, or take them as arguments, and
 * probes must leave them alone there. Who calls a function tells that it returns some, so
 * all callers must be looked at before any function is written, or all is written again.
 * The flow graphs of all functions would take a third of the time that writing does; so
 * only those functions are looked at so closely of which a glance along the straight line
 * behind their calls does not tell that all flags are lost there.
 */
#ifndef TRAMMEL_CODE_PLANNER_FLAG_CALLS_H
#define TRAMMEL_CODE_PLANNER_FLAG_CALLS_H

#include "code/builder/plan_builder.h"

/* Fills in builder->flags.returned; and keep_flags of choices, where flags are alive at
 * an entry. */
void flag_calls_find(struct plan_builder *builder);

#endif
