/*
 * Rescue of the counts when the tracer is killed. From time to time the tracer makes a
 * copy of itself by fork(2), the guardian: it knows all that the tracer knew, has the
 * arenas mapped, and sleeps until the tracer is gone. It then reads the counters as
 * they are, writes the profile, marked as incomplete, and tells the front. Nothing is
 * written to disk before.
 *
 * A guardian older than the last change does not know of it: of processes, threads and
 * modules that are new, and of counts of processes that ended meanwhile. So a new
 * guardian replaces it soon after each change, as often as that costs little.
 */
#ifndef TRAMMEL_SESSION_RUN_GUARDIAN_H
#define TRAMMEL_SESSION_RUN_GUARDIAN_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Starts to keep a guardian, where that is possible. Its messages go to `status_fd` in
 * the form of session/run/run.h; -1: to standard error. */
void guardian_begin(struct session *session, int status_fd);

/* Makes a new guardian if one is due. Returns the nanoseconds until the next call is
 * due. */
uint64_t guardian_act(struct session *session);

/* Disconnects guardians from the front, which has its answer: it does not hear of
 * their later work. */
void guardian_leave_front(struct session *session);

/* Ends the guardian: the profile is written as a whole. */
void guardian_end(struct session *session);

#endif
