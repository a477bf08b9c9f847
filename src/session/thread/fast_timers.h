/*
 * Timers that are faster than stops. A traced thread stops for each signal, which takes
 * some ten microseconds. Where a timer sends signals at that rate the thread makes no
 * progress: it is interrupted again before it has done anything, on its way back from
 * the handler; and where handlers leave by siglongjmp, which unblocks the signal before
 * it jumps, they nest until the stack is full.
 *
 * So a timer's signal that finds the thread where the last signals of that timer found
 * it is put off for a moment, as if the timer had fired a little later; at most to the
 * thread's next system call.
 */
#ifndef TRAMMEL_SESSION_THREAD_FAST_TIMERS_H
#define TRAMMEL_SESSION_THREAD_FAST_TIMERS_H

#include "session/state/session.h"

/* Handles a thread that stopped for a signal. Returns true if the signal is put off,
 * and the thread runs. If an earlier one was put off, `info` becomes the signal that
 * the program is to see. */
bool fast_timers_put_off(struct session *session, struct thread *thread, siginfo_t *info,
			 const struct user_regs_struct *registers);

/* Notes that a thread has just stopped, for any reason. */
void fast_timers_see_stop(const struct session *session, struct thread *thread);

/* Handles a thread at a system call's entry. Returns true if the call is made after
 * the signal that was put off, and the thread runs. */
bool fast_timers_see_call(struct session *session, struct thread *thread);

/* Sends signals that were put off for long enough. Returns the nanoseconds until the
 * next is due. */
uint64_t fast_timers_act(struct session *session);

void fast_timers_forget(struct session *session, struct thread *thread);

/* Lets a thread go: the signal that was put off is delivered after that. */
void fast_timers_let_go(struct session *session, struct thread *thread);

#endif
