/*
 * Programs that have the processor or the kernel trap each of their instructions or
 * system calls, and handle SIGTRAP or SIGSYS: trammel's code in them would show. They
 * are let go at the first such signal, or before; they do not hear of trammel's own
 * instructions trapped until then.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_TRAPPING_H
#define TRAMMEL_SESSION_FOLLOW_TRAPPING_H

#include "session/state/session.h"

#include <signal.h>

enum trapping {
	TRAPPING_NONE,
	TRAPPING_STEPPED,    /* a step of the program's own (the trap flag) */
	TRAPPING_DISPATCHED, /* a system call of its own (syscall user dispatch) */
	TRAPPING_STEP_OURS,  /* a step of trammel's code, which cannot be left there */
	TRAPPING_STEP_NEXT,  /* a step of trammel's code: the program's own comes next */
	TRAPPING_CALL_OURS,  /* a system call of trammel's code */
};

/* Returns whether a signal is a step of a thread with the trap flag. */
bool trapping_is_step(const siginfo_t *info, const struct user_regs_struct *registers);

/* Classifies a signal that a stopped thread is about to get, by its `info` and the
 * thread's `registers`. */
enum trapping trapping_find(const struct session *session, const struct thread *thread,
			    const siginfo_t *info,
			    const struct user_regs_struct *registers);

/* Lets the thread's process go, and all that share its memory; the thread, which is
 * settled, then gets `signal` (0: none). */
void trapping_release(struct session *session, struct thread *thread,
		      enum trapping trapping, int signal);

/* Returns the reason why such a process is let go. */
const char *trapping_reason(enum trapping trapping);

#endif
