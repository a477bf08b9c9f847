/*
 * Timers that are faster than stops. A traced thread stops for each signal, which takes
 * some ten microseconds. Where a timer signals as often the thread gets nowhere: it is
 * interrupted again before it has done anything, on its way back from the handler; and
 * where handlers leave by siglongjmp, which lets the signal through before it jumps, they
 * nest until the stack is full.
 *
 * So a timer's signal that finds the thread where the last ones of the timer found it is
 * put off for a moment, as if the timer had been a little later; at most to the thread's
 * next system call.
 */
#ifndef TRAMMEL_SESSION_THREAD_FAST_TIMERS_H
#define TRAMMEL_SESSION_THREAD_FAST_TIMERS_H

#include "session/state/session.h"

/* For a thread that stopped for a signal. True: it is put off, and the thread runs. Where
 * one was put off, `info` becomes what the program is to see. */
bool fast_timers_put_off(struct session *session, struct thread *thread, siginfo_t *info,
			 const struct user_regs_struct *registers);

/* For a thread that has just stopped, for whatever. */
void fast_timers_see_stop(const struct session *session, struct thread *thread);

/* For a thread at a system call's entry. True: the call is made behind the signal that
 * was put off, and the thread runs. */
bool fast_timers_see_call(struct session *session, struct thread *thread);

/* Sends what was put off for long enough. Returns the nanoseconds until there is more. */
uint64_t fast_timers_act(struct session *session);

void fast_timers_forget(struct session *session, struct thread *thread);

/* The thread is let go: what was put off comes behind that. */
void fast_timers_let_go(struct session *session, struct thread *thread);

#endif
