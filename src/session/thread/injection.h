/* Calls that programs make for the tracer: see control/inject.h. */
#ifndef TRAMMEL_SESSION_THREAD_INJECTION_H
#define TRAMMEL_SESSION_THREAD_INJECTION_H

#include "session/state/session.h"

/* Runs a batch of calls in a thread: through its mailbox if it waits in a hook, else
 * by injection. If the thread is running, some thread of its space is stopped for
 * that. */
struct trm_error *space_run(struct session *session, struct thread *thread,
			    struct wire_batch *batch);

/* Returns the bank through whose mailbox the thread waits for the tracer; NULL if it
 * does not wait. */
struct bank *thread_waiting_bank(const struct thread *thread);

#endif
