/*
 * Signal returns that unwinders know by their frames, not by their bytes.
 */
#ifndef TRAMMEL_CODE_PLANNER_SIGNAL_RETURNS_H
#define TRAMMEL_CODE_PLANNER_SIGNAL_RETURNS_H

#include "code/builder/plan_builder.h"

/*
 * Leads signal returns that unwinders know by their frames, not by their bytes, to code
 * that takes them on: see plan_hook_layout.
 */
void signal_returns_write(struct plan_builder *builder);

/* Whether plan.code has at this offset what a signal's return was led to, and the
 * link-time address of that return. */
bool plan_in_return(const struct plan *plan, uint32_t code_offset,
		    uint64_t *ret_restorer);

#endif
