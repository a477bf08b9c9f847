/*
 * Plans that later runs use. Where a run shows that the counters of a module would run
 * much less often at other places, the module is planned anew by what this run and
 * earlier ones counted (session/cache/feedback_file.h); and what was planned function by
 * function (session/cache/lazy_file.h) is planned as a whole. That is done behind the
 * run, when nobody waits for us any more, and at the lowest priority.
 */
#ifndef TRAMMEL_SESSION_LEARN_REPLAN_H
#define TRAMMEL_SESSION_LEARN_REPLAN_H

#include "session/state/session.h"

/* At the end of a session, whose counts are folded; see policy_of_learning. */
void replan_modules(struct session *session);

#endif
