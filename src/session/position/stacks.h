/*
 * The stacks of threads that are attached to: where handlers of signals, that run when it
 * begins, will go back to.
 */
#ifndef TRAMMEL_SESSION_POSITION_STACKS_H
#define TRAMMEL_SESSION_POSITION_STACKS_H

#include "session/state/session.h"

/*
 * Whether a stopped thread with these registers may come back to any place that patches
 * replace only where it is led on from there. Places in functions that are relocated
 * whole, to which handlers go back, are put on the thread's list (thread.shown).
 */
bool stacks_are_free(struct thread *thread, const struct maps *maps,
		     const struct user_regs_struct *registers);

/*
 * The address of the frame of a signal whose handler, which makes a system call with this
 * stack pointer, was shown so, if the resident leads back from it; 0: it does not, or the
 * frame is not found.
 */
uint64_t stacks_find_frame(const struct thread *thread, const struct signal_frame *shown,
			   uint64_t rsp);

#endif
