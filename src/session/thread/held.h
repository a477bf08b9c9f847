/*
 * Time in which threads are held: while the tracer plans code that they call, or looks
 * at them. It is not the program's own time, and is subtracted from the times that
 * threads record of themselves: call graphs and contexts.
 */
#ifndef TRAMMEL_SESSION_THREAD_HELD_H
#define TRAMMEL_SESSION_THREAD_HELD_H

#include "session/state/session.h"

/* Notes that a thread is stopped, or waits for the tracer, from now on; of several
 * notes in a row the first counts. `asked`: ticks of the time-stamp counter when the
 * thread began to wait, 0 if that is not known. */
void held_begin(struct thread *thread, uint64_t asked);

/* Ends the hold: the time since held_begin() is subtracted. */
void held_end(const struct session *session, struct thread *thread);

/* Subtracts the time until now of a thread that may be held, and stays so: its record
 * is about to be read. To be called after callgraph_look(). */
void held_look(const struct session *session, struct thread *thread);

/* Moves the start times of the contexts that the thread has open in its record
 * (wire/context.h) by the ticks between the moments `from` and `to`, in which it was
 * held. `address`: of the record, in the thread's process; nothing is written if it is
 * not the record of a live thread. */
void held_move_context(pid_t tid, uint64_t address, uint64_t from, uint64_t to);

#endif
