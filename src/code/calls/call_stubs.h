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
void calls_retarget(struct making *making);

/*
 * The same of jumps of trampolines alone (making->jumps), where functions are planned one
 * by one: first the entrances of all functions are listed, and then noted anew for each
 * that is planned. Without gates.
 */
void calls_list_entrances(struct making *making);
void calls_note_entrance(struct making *making, uint32_t index);
void calls_lead(struct making *making);

#endif
