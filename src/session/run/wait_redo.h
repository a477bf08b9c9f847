/*
 * System calls that end with EINTR only because their thread is traced: for a stop that
 * asks nothing of it, or for a signal that the program ignores. They are made again, and
 * end when their time has passed, as they would by themselves.
 */
#ifndef TRAMMEL_SESSION_RUN_WAIT_REDO_H
#define TRAMMEL_SESSION_RUN_WAIT_REDO_H

#include "control/remote.h"
#include "stacks/waits.h"

/* A thread begins a call, and is stopped there; `call` becomes what it was at first, if
 * it is one that is made again. */
void wait_redo_begin(struct waits_thread *thread, struct stacks_call *call,
		     uint64_t now_ns);

/* It has ended a call, and is stopped behind it. */
void wait_redo_end(struct waits_thread *thread);

/* Has the kernel make the call again in which the thread was stopped. Returns whether it
 * will: not where it was no such call, or its time is over. */
bool wait_redo_call(struct waits_thread *thread, uint64_t now_ns);

/* A signal is about to be acted on that ends the call as it would without a tracer.
 * `caught`: by a handler. */
void wait_redo_leave(struct waits_thread *thread, bool caught);

#endif
