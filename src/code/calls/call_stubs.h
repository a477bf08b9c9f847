/*
 * Retargeting of direct calls and tail calls of instrumented functions: they lead to the
 * trampoline or to a stub of their own. The call keeps its address, and so its return
 * address, and a jump is saved.
 */
#ifndef TRAMMEL_CODE_CALLS_CALL_STUBS_H
#define TRAMMEL_CODE_CALLS_CALL_STUBS_H

#include "code/builder/plan_builder.h"

/* Fills in plan.calls, and plan.arcs where calls are counted by call site. The
 * plan's functions and trampolines must be finished. Instructions under a patch are left
 * out. Jumps of the trampolines are changed at once. */
void call_stubs_retarget(struct plan_builder *builder);

/*
 * Retargets only the jumps of trampolines (builder->out.jumps), where functions are
 * planned one by one: list the entrances of all functions first, then note that of each
 * function planned. Without gates.
 */
void call_stubs_list_entrances(struct plan_builder *builder);
void call_stubs_note_entrance(struct plan_builder *builder, uint32_t index);
void call_stubs_lead(struct plan_builder *builder);

#endif
