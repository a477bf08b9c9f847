/*
 * Where threads go back into trampolines and relocated code: those that come back to an
 * original place, or stand at one.
 */
#ifndef TRAMMEL_SESSION_POSITION_REENTRY_H
#define TRAMMEL_SESSION_POSITION_REENTRY_H

#include "session/state/space.h"
#include "session/state/thread.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

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

/* The module of whose original text a thread executes a part that is not counted yet: up
 * to its call, whose stub counts the block. NULL: it does not. */
const struct module *reentry_before_stub(const struct space *space, uint64_t rip);

/* Tells the program where the instructions of function `index` go on that the patch at
 * its entry covers: see struct wire_lead. */
void reentry_write_leads(const struct space *space, const struct module *module,
			 uint32_t index);

/* A thread of a text that is to be patched goes on in relocated code, if it stands in
 * what is relocated, or between instructions that a patch replaces. */
void reentry_lead_in(const struct space *space, struct user_regs_struct *registers);

#endif
