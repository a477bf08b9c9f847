/*
 * Probes of flags that are set: they have nothing more to tell, so they become code that
 * does nothing, and what fired of functions relocated whole is unpatched
 * (session/modules/unpatched.h). Functions that run often soon run as they were; see
 * plan_request.probe, PLAN_PROBE_FLAG.
 *
 * What is told is which code ran in each process. So a process that forks off has all of
 * its probes again, and they stay where threads or parts of a run are told apart.
 */
#ifndef TRAMMEL_SESSION_ADAPT_FIRED_H
#define TRAMMEL_SESSION_ADAPT_FIRED_H

#include "session/state/session.h"

/* Takes away the probes that fired by now of functions that run often
 * (session/adapt/hot.h), if it is time for that: all threads are stopped for a moment.
 * Returns the nanoseconds until there may be more to do. */
uint64_t fired_act(struct session *session);

#endif
