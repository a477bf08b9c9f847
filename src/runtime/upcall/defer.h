/*
 * Functions that wait for a place where their thread may call anything. An upcall's own
 * place may be in the midst of malloc, or of the loader, with locks held. Safe is a place
 * at which no function of the C library, the loader, the allocator or the C++ runtime is
 * on the thread's stack, but for those that began the thread.
 */
#ifndef TRAMMEL_RUNTIME_UPCALL_DEFER_H
#define TRAMMEL_RUNTIME_UPCALL_DEFER_H

#include "runtime/upcall/state.h"

/* Finds the modules that functions must not be on the stack of. */
void upcall_defer_init(void);

/* Calls what waits, if the thread was interrupted at a safe place. */
void upcall_defer_try(struct upcall_thread *thread, ucontext_t *context);

#endif
