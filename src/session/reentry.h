/*
 * Where threads go back into trampolines and relocated code: those that come back to an
 * original place, or stand at one.
 */
#ifndef TRAMMEL_SESSION_REENTRY_H
#define TRAMMEL_SESSION_REENTRY_H

#include "session/space.h"
#include "session/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* rt_sigreturn(2) finds the saved context at rsp; the layout is the kernel's
 * (asm/ucontext.h, struct sigcontext): rsp is 0xa0 bytes in, and rip follows. */
#define UCONTEXT_RSP 0xa0
struct saved_place {
	uint64_t rsp, rip;
};

/* Where in a trampoline a thread goes on that stands, or will come back, between the
 * displaced instructions of a function whose entry is patched; false if that is no such
 * place. `entry`: the entry itself is one, whose call was counted already. */
bool reentry_find_displaced(const struct space *space, uint64_t rip, bool entry,
			    uint64_t *ret_rip);

/* Where in our code a thread goes on that comes back to an original place which it has
 * counted; false: there. */
bool reentry_find(const struct space *space, uint64_t rip, uint64_t *ret_way);

/* At a system call of a thread whose fault_rip is set: when its handler returns, the way
 * back leads into the trampoline. */
void reentry_watch_return(struct thread *thread);

#endif
