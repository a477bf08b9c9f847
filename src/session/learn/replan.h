/*
 * Plans for later runs. Where a run shows that the counters of a module would run much
 * less often at other places, the module is planned anew from the counts of this run
 * and earlier ones (session/cache/feedback_file.h); and a module planned function by
 * function (session/cache/lazy_file.h) is planned as a whole. That is done after the
 * run, when no process waits for the tracer any more, and at the lowest priority.
 */
#ifndef TRAMMEL_SESSION_LEARN_REPLAN_H
#define TRAMMEL_SESSION_LEARN_REPLAN_H

#include "session/state/session.h"

/* Replans modules at the end of a session, when its counts are folded; see
 * policy_of_learning. */
void replan_modules(struct session *session);

#endif
