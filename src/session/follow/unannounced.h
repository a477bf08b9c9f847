/*
 * Children of unknown origin. The kernel announces a child by an event of its parent;
 * but a thread that is killed in the middle of its fork, because the process is killed,
 * ends, or executes a program, has no more events. The child then stands at its first
 * stop and must be followed as any other: its parent is found by the bank that it
 * shares with the thread that made it, or by its parent's number.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_UNANNOUNCED_H
#define TRAMMEL_SESSION_FOLLOW_UNANNOUNCED_H

#include "session/state/session.h"

#define UNANNOUNCED_NS 1000000

/* Notes that the process of a thread is about to end, or to execute a program: starts
 * the children that wait for its announcement, and remembers the process for children
 * still to come. `killed`: by SIGKILL. */
void unannounced_leave(struct session *session, struct thread *thread, bool killed);

/* Notes a thread at its first stop that has not been announced yet. Most are announced
 * some microseconds later. */
void unannounced_note(struct session *session, const struct thread *child);

/* Starts children that were not announced within a millisecond and will not be, since
 * the thread that made them is gone. To be called until session.unannounced is empty. */
void unannounced_find_parents(struct session *session);

/* Forgets processes that ended a while ago, or with `all` every ended process. */
void unannounced_forget(struct session *session, bool all);

#endif
