/*
 * Children whose origin nobody tells. The kernel tells of a child by an event of its
 * parent; but a thread that is killed in the middle of its fork, because the process is
 * killed, ends, or executes a program, has no more events. The child stands at its first
 * stop then, and must be followed as any other: by the bank that it shares with the
 * thread that made it, or by its parent's number.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_UNANNOUNCED_H
#define TRAMMEL_SESSION_FOLLOW_UNANNOUNCED_H

#include "session/state/session.h"

#define UNANNOUNCED_NS 1000000

/* The process of a thread is about to end, or to execute a program: starts the children
 * that wait for its word, and remembers it for those that are still to come. `killed`: by
 * SIGKILL. */
void unannounced_leave(struct session *session, struct thread *thread, bool killed);

/* A thread stands at its first stop, and nobody has told of it yet. Most are told of some
 * microseconds later. */
void unannounced_note(struct session *session, const struct thread *child);

/* Starts those of which nobody has told in a millisecond, if nobody will, since what made
 * them is gone. To be called until session.unannounced is empty. */
void unannounced_find_parents(struct session *session);

/* Forgets processes that ended a while ago; or all. */
void unannounced_forget(struct session *session, bool all);

#endif
