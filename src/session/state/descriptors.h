/* Descriptors that the tracer's loop watches for others. */
#ifndef TRAMMEL_SESSION_STATE_DESCRIPTORS_H
#define TRAMMEL_SESSION_STATE_DESCRIPTORS_H

#include "session/state/session.h"

#include <signal.h>
#include <stdint.h>

/* Watches a descriptor from now on; it stays the caller's. */
void session_watch(struct session *session, int fd, session_serve *serve, void *context);

/* Ends that. */
void session_unwatch(struct session *session, int fd);

/* Waits for one of the `signals`, which are blocked, or for watched descriptors, at most
 * `limit_ns` nanoseconds. Returns the signal that came, or 0. */
int session_wait_descriptors(struct session *session, const sigset_t *signals,
			     uint64_t limit_ns);

/* Serves the watched descriptors that can be read now. */
void session_serve_descriptors(struct session *session);

#endif
