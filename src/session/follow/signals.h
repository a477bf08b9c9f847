/* Delivery of signals to threads. */
#ifndef TRAMMEL_SESSION_FOLLOW_SIGNALS_H
#define TRAMMEL_SESSION_FOLLOW_SIGNALS_H

#include "session/state/session.h"

/* Delivers a signal that a stopped thread got, and resumes it: a handler finds the
 * thread in original code. */
void signals_deliver(struct session *session, struct thread *thread, int signal);

#endif
