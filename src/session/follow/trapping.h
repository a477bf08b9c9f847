/*
 * Programs that have the processor or the kernel trap each instruction or system call of
 * theirs, and handle SIGTRAP or SIGSYS: what we put into them would show. They are let go
 * at the first such signal, or before; what of ours was trapped until then they do not
 * hear of.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_TRAPPING_H
#define TRAMMEL_SESSION_FOLLOW_TRAPPING_H

#include "session/state/session.h"

#include <signal.h>

enum trapping {
	TRAPPING_NONE,
	TRAPPING_STEPPED,    /* a step of the program's own (the trap flag) */
	TRAPPING_DISPATCHED, /* a system call of its own (syscall user dispatch) */
	TRAPPING_STEP_OURS,  /* an instruction of ours */
	TRAPPING_CALL_OURS,  /* a system call of ours */
};

/* Tells what a signal is that a stopped thread is about to get, by what it says (`info`)
 * and where the thread is (`registers`). */
enum trapping trapping_find(const struct session *session, const struct thread *thread,
			    const siginfo_t *info,
			    const struct user_regs_struct *registers);

/* Lets the process go, and all that share its memory; the thread, which is settled, gets
 * its signal then (0: none). */
void trapping_release(struct session *session, struct thread *thread,
		      enum trapping trapping, int signal);

/* Why such a process is let go. */
const char *trapping_reason(enum trapping trapping);

#endif
