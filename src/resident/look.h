/* Restoring return addresses before a function looks at them. */
#ifndef TRAMMEL_RESIDENT_LOOK_H
#define TRAMMEL_RESIDENT_LOOK_H

#include "wire/bank.h"
#include "wire/registers.h"

#include <stdbool.h>
#include <stdint.h>

/* Restores original return addresses in the frames from `frame` outward; `frame` has the
 * registers at a function's entry. */
void look_through(struct wire_bank *bank, const struct wire_registers *frame);

/* Tells whether all pages from `place` to the end of the thread's own stack can be read.
 * They are probed one by one, once, while the thread may make system calls: alternate
 * stacks and stacks of coroutines may lie below the stack, with its guard page between.
 */
bool look_know_stack(struct wire_bank *bank, uint64_t place);

/* Serves the hooks that read return addresses, and WIRE_HOOK_LAZY of silent threads.
 * Returns whether the tracer is to be asked. Called by resident.S. */
int resident_look(const struct wire_registers *frame);

#endif
