/*
 * Signal returns (sigreturn stubs) that unwinders recognize by call-frame information,
 * not by their bytes.
 */
#ifndef TRAMMEL_CODE_PLANNER_SIGNAL_RETURNS_H
#define TRAMMEL_CODE_PLANNER_SIGNAL_RETURNS_H

#include "code/builder/plan_builder.h"

/*
 * Leads such signal returns to code in the plan that continues them: see
 * plan_hook_layout.
 */
void signal_returns_write(struct plan_builder *builder);

/* Whether the code at this offset of plan.code is that of a signal return; writes the
 * link-time address of the original. */
bool plan_in_return(const struct plan *plan, uint32_t code_offset,
		    uint64_t *ret_restorer);

#endif
