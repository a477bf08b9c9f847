/*
 * Removal of probes whose flag is already set. Such a probe has nothing more to record,
 * so it is replaced by code that does nothing, and functions relocated as a whole are
 * unpatched (session/modules/unpatched.h). Functions that run often soon run as they do
 * in the bare program; see plan_request.probe, PLAN_PROBE_FLAG.
 *
 * The profile tells which code ran in each process. So a process that forks off gets
 * all its probes back, and probes stay where threads or parts of a run are told apart.
 */
#ifndef TRAMMEL_SESSION_ADAPT_FIRED_H
#define TRAMMEL_SESSION_ADAPT_FIRED_H

#include "session/state/session.h"

/* Removes the probes that have fired in functions that run often
 * (session/adapt/hot.h), if a pass is due. Stops all threads for a moment. Returns the
 * nanoseconds until the next pass may be due. */
uint64_t fired_act(struct session *session);

#endif
