/* Calls that programs make for us: see control/inject.h. */
#ifndef TRAMMEL_SESSION_THREAD_INJECTION_H
#define TRAMMEL_SESSION_THREAD_INJECTION_H

#include "session/state/session.h"

/* Runs a batch in a thread: through its mailbox if it waits in a hook, else by injection.
 * If it runs, some thread of its space is stopped for that. */
struct trm_error *space_run(struct session *session, struct thread *thread,
			    struct wire_batch *batch);

/* The bank through whose mailbox the thread waits for us; NULL if it does not. */
struct bank *thread_waiting_bank(const struct thread *thread);

#endif
