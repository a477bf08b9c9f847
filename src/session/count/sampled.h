/* Samples of traced processes, beside counts: taken in by the tracer between its other
 * work, and led back from relocated code to the original. */
#ifndef TRAMMEL_SESSION_COUNT_SAMPLED_H
#define TRAMMEL_SESSION_COUNT_SAMPLED_H

#include "session/state/session.h"

/* Opens the events of options.samples for a process that waits for its exec, or, with
 * `at_once`, for one that runs. Does nothing if no samples are measured. Errors as for
 * sample_source_open. */
struct trm_error *sampled_begin(struct session *session, pid_t pid, bool at_once);

/* Takes in what has come. Returns the nanoseconds until the next time. */
uint64_t sampled_act(struct session *session);

/* Takes in all up to this moment, while what is mapped is known: before a process ends.
 */
void sampled_take(struct session *session);

/* Ends the events. */
void sampled_end(struct session *session);

#endif
