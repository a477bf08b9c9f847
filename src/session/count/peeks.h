/*
 * Samples without perf events, where these are forbidden: the tracer looks at the threads
 * that run, by its own clock. A thread that runs is stopped for a moment, its registers
 * and its stack are read, and it goes on. The sample stands for the processor time that
 * the thread has used since the one before, as a signal of a timer does with its overrun;
 * but no timer and no signal is in the program, and threads that wait are left alone.
 */
#ifndef TRAMMEL_SESSION_COUNT_PEEKS_H
#define TRAMMEL_SESSION_COUNT_PEEKS_H

#include "session/state/session.h"

/* Asks the threads that run to stop for a sample, if it is time. Returns the nanoseconds
 * until it is. */
uint64_t peeks_act(struct session *session);

/* Takes the sample of a thread that has stopped, if it was asked for one. */
void peeks_see_stop(struct session *session, struct thread *thread);

/* Notes that a thread has stopped for something else. */
void peeks_see_event(const struct session *session, struct thread *thread);

/* Adds up what processor time the processes have used. */
void peeks_count(struct session *session);

#endif
