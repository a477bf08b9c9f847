/*
 * Places at which threads re-enter trampolines and relocated code, when they return to
 * an original address or stand at one.
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

/* Finds the place in a trampoline for a thread that stands at, or will return to,
 * `rip` between the displaced instructions of a function with a patched entry; returns
 * false if `rip` is no such place. `entry`: the entry itself counts as such a place,
 * its call having been counted already. */
bool reentry_find_displaced(const struct space *space, uint64_t rip, bool entry,
			    uint64_t *ret_rip);

/* Finds the place in relocated code for a thread that returns to an original address
 * `rip` which it has counted. Returns false if it continues at `rip` itself. */
bool reentry_find(const struct space *space, uint64_t rip, uint64_t *ret_way);

/* Watches the system calls of a thread whose fault_rip is set: when its handler
 * returns, its return is redirected into the trampoline. */
void reentry_watch_return(struct thread *thread);

/* Returns the module whose original text a thread at `rip` executes in a part that is
 * not counted yet: up to its call, whose stub counts the block. NULL: it executes no
 * such part. */
const struct module *reentry_before_stub(const struct space *space, uint64_t rip);

/* Writes for the program where the instructions of function `index` that are covered
 * by the patch at its entry continue: see struct wire_lead. */
void reentry_write_leads(const struct space *space, const struct module *module,
			 uint32_t index);

/* Moves a thread to relocated code, before its text is patched, if it stands in a
 * relocated function or between instructions that a patch replaces. */
void reentry_lead_in(const struct space *space, struct user_regs_struct *registers);

#endif
