/* threads.c. */
#ifndef TRAMMEL_RUNTIME_EVENTS_THREADS_H
#define TRAMMEL_RUNTIME_EVENTS_THREADS_H

#include <stdbool.h>

struct context_thread;

/* Counts an event that is lost since the thread is busy. */
void runtime_lose(void);

/* The record of this thread, made at its first event; NULL if it cannot be had. The
 * thread is busy. */
struct context_thread *threads_self(void);

/* Ends of threads are seen from now on; false: they cannot be. */
bool threads_init(void);

/* In a new process: the records of the parent's threads are not this one's. `own`: nor
 * is that of the thread that forked, which lies in the parent's spool. */
void threads_forget(bool own);

/* A new block for the thread's events; false: there is none, and the event is dropped. */
bool threads_more_events(struct context_thread *thread);

#endif
