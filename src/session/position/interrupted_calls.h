/*
 * System calls in which a stop of ours finds a thread, or a signal that the program
 * ignores: to a traced thread even those come. Both make calls end early that would have
 * gone on in the bare run: with EINTR, or with the part that was done by then, as a write
 * of much to a pipe. The first are made again, with the time that is left. The rest of
 * the others is made by the thread itself, in the resident (resident.S, rest), so that it
 * needs no tracer: one that is killed must not make a program write something twice.
 */
#ifndef TRAMMEL_SESSION_POSITION_INTERRUPTED_CALLS_H
#define TRAMMEL_SESSION_POSITION_INTERRUPTED_CALLS_H

#include "session/state/session.h"

/* At such a stop. The call is not ended by it, unless a handler runs first. */
void interrupted_calls_see_stop(struct thread *thread);

/* At the stop for a signal, which may end the call in the bare run, too. */
void interrupted_calls_see_signal(struct thread *thread, int signal);

/* Before the thread goes on. */
void interrupted_calls_go_on(struct thread *thread);

/* Registers of a thread that makes a rest are made those that it would have behind its
 * own call, with the part that was done as the result. False: it makes none. */
bool interrupted_calls_leave_rest(const struct thread *thread,
				  struct user_regs_struct *registers);

/* Whether a thread makes a rest. */
bool interrupted_calls_are_in_rest(const struct thread *thread, uint64_t rip);

/* Where it goes on behind that. */
void interrupted_calls_lead_rest(const struct thread *thread, uint64_t rip);

#endif
