/*
 * Moving of stopped threads out of trammel's code.
 */
#ifndef TRAMMEL_SESSION_POSITION_SETTLE_H
#define TRAMMEL_SESSION_POSITION_SETTLE_H

#include "session/state/session.h"

#include <signal.h>

/* Signals that an instruction raises; when blocked they kill, so they never are. */
static const uint64_t settle_synchronous = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) |
					   1ull << (SIGFPE - 1) | 1ull << (SIGILL - 1) |
					   1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1);

struct finish_code {
	uint64_t start; /* run-time address */
	uint64_t next;  /* address of the trampoline's next instruction */
	int signal;     /* to be sent again once the thread is on its way; 0: none */
	/* Of a point, whose loads may fault: the offset in plan.code of what is copied;
	 * NULL: of no point. */
	const struct plan *plan;
	uint32_t offset;
};

enum settled {
	NOTHING_TO_SETTLE, /* the thread is in code of the program */
	SETTLED,           /* the registers are changed; the caller is to set them */
	SETTLED_RAN,       /* as SETTLED, and the thread ran on a little: the signal it
			      was stopped with is pending again */
	UNSETTLED,         /* it cannot be moved */
};

struct settling {
	bool fault;   /* the stop is a fault of the instruction at the PC */
	int signal;   /* signal that the thread is stopped with; 0: none */
	bool leaving; /* the text will be original before the thread goes on */
};

/* Moves a stopped thread's PC out of trampolines, hooks and patches. */
enum settled settle_thread(struct session *session, struct thread *thread,
			   const struct settling *how,
			   struct user_regs_struct *registers);

/* Returns whether an address lies in patched bytes, behind the first of them. */
bool settle_is_in_patch(const struct space *space, uint64_t rip);

/* Moves a stopped thread that is in a gate, before it has counted the call, to the
 * entry of the called function. */
void settle_leave_gate(const struct session *session, struct thread *thread);

#endif
