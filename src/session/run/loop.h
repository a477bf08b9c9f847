/* The tracer: one thread that waits for everything and acts on it. */
#ifndef TRAMMEL_SESSION_RUN_LOOP_H
#define TRAMMEL_SESSION_RUN_LOOP_H

#include "session/run/run.h"
#include "session/state/session.h"

int session_trace(const struct session_options *options, struct cache *cache,
		  const struct tracer_start *start);

/* Does all that can be done without waiting. */
void session_act(struct session *session);

/* Waits for more work, at most `limit_ns` nanoseconds. Returns the signal of `signals`
 * that came, or 0. */
int session_wait(struct session *session, const sigset_t *signals, uint64_t limit_ns);

/* Opens what tools print to: where trammel's own messages go, unless it is to go to a
 * file. Returns the descriptor; -1: there are no tools. */
int session_open_tool_output(const struct session_options *options);

#endif
