/* The stacks on which handlers of upcalls run. */
#ifndef TRAMMEL_RUNTIME_UPCALL_STACKS_H
#define TRAMMEL_RUNTIME_UPCALL_STACKS_H

#include "runtime/upcall/state.h"

/* Makes the stack of a user in a thread, if it wants one and there is none of its size;
 * without memory there is none, and the handler runs where the signal was delivered. */
void upcall_stack_make(struct upcall_thread *thread, uint32_t user);

/* Calls `work` with `frame` on the stack of its user, or, where that is in use or there
 * is none, on this one. `context`: of the signal. */
void upcall_stack_call(void (*work)(struct upcall_frame *frame),
		       struct upcall_frame *frame, const ucontext_t *context);

/* Gives back what upcall_stack_call() changed, when a handler is left by a jump. */
void upcall_stack_leave(const struct upcall_frame *frame);

/* Tells whether code with this stack pointer was called by the upcall. */
bool upcall_stack_contains(const struct upcall_frame *frame, uintptr_t place);

#endif
