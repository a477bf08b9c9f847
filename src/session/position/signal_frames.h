/*
 * Signal handlers that were shown their thread at an original place, in a function that
 * was relocated whole, and that may still run (thread.shown). When such a handler
 * returns, the C library's restorer leads to the resident, and that leads back into
 * relocated code and writes down where to (struct wire_shown), without a stop. Handlers
 * whose frame has another restorer, or is not known yet, have their thread's system calls
 * watched instead, for the one by which they return.
 */
#ifndef TRAMMEL_SESSION_POSITION_SIGNAL_FRAMES_H
#define TRAMMEL_SESSION_POSITION_SIGNAL_FRAMES_H

#include "session/state/session.h"

/* A stopped thread, with these registers, is shown to a handler, or may be: its rip is
 * original. */
void signal_frames_add(struct thread *thread, const struct module *module,
		       const struct user_regs_struct *registers);

/* The same, if it is in original text that a stub will count (reentry_before_stub): its
 * way back is there. */
void signal_frames_add_uncounted(struct thread *thread,
				 const struct user_regs_struct *registers);

/* The same of what was shown before. */
void signal_frames_put(struct thread *thread, const struct signal_frame *shown);

/* Only the `count` outermost are left. */
void signal_frames_cut(struct thread *thread, size_t count);

/* Takes out the handlers that have returned by the resident, and those inside of them. */
void signal_frames_take_returned(struct thread *thread);

/* Takes out the handlers that the thread has left, since its stack is shorter now. */
void signal_frames_take_left(struct thread *thread, uint64_t rsp);

/* A thread is at a system call in the innermost handler, with this stack pointer: from
 * now on it need not be watched if the resident takes it back. */
void signal_frames_find_frame(struct thread *thread, uint64_t rsp);

/* Whether the system calls of the thread are to be watched. */
bool signal_frames_are_watched(const struct thread *thread);

/* The thread has another bank. */
void signal_frames_begin(const struct thread *thread);

/* Whether a stack has become shorter than when it ended at `then`; not, if it is another
 * one. */
bool signal_frames_are_left(const struct thread *thread, uint64_t rsp, uint64_t then);

#endif
