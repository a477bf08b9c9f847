/*
 * Signal handlers that may still run and whose thread appeared to them at an original
 * address, in a function relocated as a whole (thread.signal_frames). When such a
 * handler returns, the C library's restorer leads to the resident, and that leads back
 * into relocated code and records the destination (struct wire_shown), without a stop.
 * For handlers whose frame has another restorer, or is not known yet, the thread's
 * system calls are watched instead, for the one by which they return.
 */
#ifndef TRAMMEL_SESSION_POSITION_SIGNAL_FRAMES_H
#define TRAMMEL_SESSION_POSITION_SIGNAL_FRAMES_H

#include "session/state/session.h"

/* Adds a stopped thread that appears, or may appear, to a handler with these
 * registers: its rip is original. */
void signal_frames_add(struct thread *thread, const struct module *module,
		       const struct user_regs_struct *registers);

/* Sets in which phase the block was counted where the thread of the last frame is shown:
 * enum arena_phase. */
void signal_frames_set_counted(struct thread *thread, uint32_t phase);

/* Adds a stopped thread that appears to a handler with these registers, and goes on at
 * `way`, an address in relocated code, when the handler returns. */
void signal_frames_add_way(struct thread *thread, const struct module *module,
			   const struct user_regs_struct *registers, uint64_t way);

/* Adds a stopped thread that is in original text which a stub will count
 * (reentry_before_stub): its way back is there. */
void signal_frames_add_uncounted(struct thread *thread,
				 const struct user_regs_struct *registers);

/* Adds a frame that was shown before. */
void signal_frames_put(struct thread *thread, const struct signal_frame *shown);

/* Removes all but the `count` outermost frames. */
void signal_frames_cut(struct thread *thread, size_t count);

/* Removes the handlers that returned by way of the resident, and the handlers inside
 * of them. */
void signal_frames_take_returned(struct thread *thread);

/* Removes the handlers that the thread has left, as its shorter stack (`rsp`) shows. */
void signal_frames_take_left(struct thread *thread, uint64_t rsp);

/* Looks for the frame of the innermost handler, while it makes a system call with this
 * stack pointer: from then on it need not be watched if the resident takes it back. */
void signal_frames_find_frame(struct thread *thread, uint64_t rsp);

/* Returns whether the system calls of the thread are to be watched. */
bool signal_frames_are_watched(const struct thread *thread);

/* Prepares the new bank of a thread. */
void signal_frames_begin(const struct thread *thread);

/* Returns whether a stack ending at `rsp` has become shorter than when it ended at
 * `then`; false if it is another stack. */
bool signal_frames_are_left(const struct thread *thread, uint64_t rsp, uint64_t then);

#endif
