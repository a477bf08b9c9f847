/*
 * Direct calls and tail calls that lead to an instrumented entry are made to lead to its
 * trampoline, or to a stub of their own: the call stays where it is, with its return
 * address, and one jump is saved.
 */
#ifndef TRAMMEL_CODE_CALLS_CALL_STUBS_H
#define TRAMMEL_CODE_CALLS_CALL_STUBS_H

#include "code/builder/plan_builder.h"

/* Fills plan.calls, and plan.arcs where calls are counted by their sites. The plan's
 * functions and trampolines are finished. Instructions that a patch covers already are
 * left. Jumps of the trampolines are changed at once. */
void call_stubs_retarget(struct plan_builder *builder);

/*
 * The same of jumps of trampolines alone (builder->out.jumps), where functions are
 * planned one by one: first the entrances of all functions are listed, and then noted
 * anew for each that is planned. Without gates.
 */
void call_stubs_list_entrances(struct plan_builder *builder);
void call_stubs_note_entrance(struct plan_builder *builder, uint32_t index);
void call_stubs_lead(struct plan_builder *builder);

#endif
