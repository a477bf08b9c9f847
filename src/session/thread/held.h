/*
 * Time in which threads are held: while the tracer plans what they call, or looks at
 * them. It is no time of the program's, and is taken out of what threads record of their
 * own: call graphs and contexts.
 */
#ifndef TRAMMEL_SESSION_THREAD_HELD_H
#define TRAMMEL_SESSION_THREAD_HELD_H

#include "session/state/session.h"

/* Notes that a thread stands, or waits for the tracer, from now on; of several notes in a
 * row the first counts. `asked`: ticks of the time-stamp counter when the thread began to
 * wait, 0 if that is not known. */
void held_begin(struct thread *thread, uint64_t asked);

/* Lets a thread go on: what passed since held_begin() is given back. */
void held_end(const struct session *session, struct thread *thread);

/* Gives back what passed until now of a thread that may be held, and stays so: what it
 * recorded is about to be looked at. Behind callgraph_look(). */
void held_look(const struct session *session, struct thread *thread);

/* Moves what the thread has open in its record of contexts (wire/context.h) by the ticks
 * from one moment to another, in which it was held. `address`: of the record, in the
 * thread's process; nothing is written if there is none of a thread that lives. */
void held_move_context(pid_t tid, uint64_t address, uint64_t from, uint64_t to);

#endif
