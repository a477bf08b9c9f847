/*
 * Stacks of threads to which trammel attaches: the places to which signal handlers that
 * run at that moment will return.
 */
#ifndef TRAMMEL_SESSION_POSITION_STACKS_H
#define TRAMMEL_SESSION_POSITION_STACKS_H

#include "session/state/session.h"

/*
 * Returns whether a stopped thread with these registers can return to places that
 * patches replace only where it is then led on. Places in functions relocated as a
 * whole to which handlers return are added to the thread's list (thread.signal_frames).
 */
bool stacks_are_free(struct thread *thread, const struct maps *maps,
		     const struct user_regs_struct *registers);

/*
 * Returns the address of the frame of a signal whose handler got `shown`, and makes a
 * system call with this stack pointer, if the resident leads back from it; 0: it does
 * not, or the frame is not found.
 */
uint64_t stacks_find_frame(const struct thread *thread, const struct signal_frame *shown,
			   uint64_t rsp);

#endif
