/*
 * All threads of a running program that is attached to: stopped at once, and let go.
 */
#ifndef TRAMMEL_SESSION_THREAD_HALT_H
#define TRAMMEL_SESSION_THREAD_HALT_H

#include "session/state/session.h"

/* Stops all threads of the space within some milliseconds; false if one does not stop.
 * Then and afterwards, space_go lets them go on. */
bool space_halt(struct session *session, struct space *space);

void space_go(struct session *session, const struct space *space);

/* Whether a stopped thread has an event to be acted on: any but signals, which can wait.
 */
bool thread_has_event(const struct session *session, const struct thread *thread);

#endif
