/*
 * Threads in stretches: copies of the next instructions of a thread, which write down
 * what they read and leave (code/stretch/stretch.h). A thread enters one where it was
 * stopped, and leaves it by itself. Nothing depends on the tracer meanwhile. A thread
 * that stops in it, for whatever reason, is led to where it would be in the original
 * before anybody looks at it.
 */
#ifndef TRAMMEL_SESSION_POSITION_STRETCHES_H
#define TRAMMEL_SESSION_POSITION_STRETCHES_H

#include "session/state/session.h"

/* Whether a run takes values alone, so that nothing else depends on what threads do. */
bool stretches_are_alone(const struct session *session);

/* Leads a stopped thread into a stretch from where it is, if it can be. */
void stretches_enter(struct session *session, struct thread *thread);

/* Leads a thread that has just stopped out of a stretch, if it is in one. */
void stretches_see_stop(struct session *session, struct thread *thread);

/* Whether the signal that a stopped thread stopped for is that of a load which compared
 * code: the thread is in front of that code now, and goes on without it. */
bool stretches_take_fault(struct thread *thread);

/* Takes the values of a thread that has reached the end of its stretch. */
void stretches_look(struct session *session, struct thread *thread);

/* Takes the values of a thread that is gone, or is in another program now. */
void stretches_end(struct session *session, struct thread *thread);

#endif
