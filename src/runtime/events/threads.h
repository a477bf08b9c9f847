/* Threads and their records. */
#ifndef TRAMMEL_RUNTIME_EVENTS_THREADS_H
#define TRAMMEL_RUNTIME_EVENTS_THREADS_H

#include <stdbool.h>

struct context_thread;

/* Counts an event that is lost because the thread is busy. */
void runtime_lose(void);

/* Returns the record of this busy thread, made at its first event; NULL if it cannot be
 * made. */
struct context_thread *threads_self(void);

/* Begins to watch for ends of threads; returns false if it cannot. */
bool threads_init(void);

/* Forgets the parent's threads in a new process. `own`: also the thread that forked,
 * whose record lies in the parent's spool. */
void threads_forget(bool own);

/* Takes a new block for the thread's events; returns false if there is none, and the
 * event is dropped. */
bool threads_more_events(struct context_thread *thread);

#endif
