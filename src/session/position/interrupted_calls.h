/*
 * System calls interrupted by a stop of the tracer's, or by a signal that the program
 * ignores: a traced thread stops even for these. Both end calls early that would have
 * continued in the bare run: with EINTR, or with a part done, as for a large write to a
 * pipe. Calls ended with EINTR are made again, with the time that is left. The rest of
 * a partial call is made by the thread itself, in the resident (resident.S, rest), so
 * that it needs no tracer: a tracer that is killed must not make a program write
 * something twice.
 */
#ifndef TRAMMEL_SESSION_POSITION_INTERRUPTED_CALLS_H
#define TRAMMEL_SESSION_POSITION_INTERRUPTED_CALLS_H

#include "session/state/session.h"

/* Notes such a stop. It does not end the call, unless a handler runs first. */
void interrupted_calls_see_stop(struct thread *thread);

/* Notes the stop for a signal, which may end the call in the bare run, too. */
void interrupted_calls_see_signal(struct thread *thread, int signal);

/* Prepares the thread's call to be continued. To be called before the thread resumes. */
void interrupted_calls_go_on(struct thread *thread);

/* Changes the registers of a thread that makes such a rest to the values that it would
 * have behind its own call, with the part that was done as the result. Returns false
 * if it makes no rest. */
bool interrupted_calls_leave_rest(const struct thread *thread,
				  struct user_regs_struct *registers);

/* Returns whether a thread at `rip` makes such a rest. */
bool interrupted_calls_are_in_rest(const struct thread *thread, uint64_t rip);

/* Sets the address `rip` at which the thread continues behind the rest. */
void interrupted_calls_lead_rest(const struct thread *thread, uint64_t rip);

#endif
