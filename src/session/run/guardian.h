/*
 * What was counted when the tracer is killed. From time to time the tracer makes a copy
 * of itself by fork(2), which knows all that it knew, has the arenas mapped, and sleeps
 * until the tracer is gone: the guardian. It then reads the counters as they are, writes
 * the profile, which says that it is not whole, and tells the front. Nothing is written
 * anywhere before.
 *
 * A guardian that is older than what changed last knows nothing of that: of processes,
 * threads and modules that are new, and of counts of processes that ended meanwhile. So a
 * new one takes its place soon after each change, as often as that costs little.
 */
#ifndef TRAMMEL_SESSION_RUN_GUARDIAN_H
#define TRAMMEL_SESSION_RUN_GUARDIAN_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/* From now on there are guardians, where that can be had. What one has to say goes to
 * `status_fd` as session/run/run.h has it; -1: to standard error. */
void guardian_begin(struct session *session, int status_fd);

/* Makes a new one if it is time. Returns the nanoseconds until it is to be called again.
 */
uint64_t guardian_act(struct session *session);

/* The front has its answer: what guardians do from now on it does not hear of. */
void guardian_leave_front(struct session *session);

/* The profile is there as a whole. */
void guardian_end(struct session *session);

#endif
