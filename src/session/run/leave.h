/*
 * End of an attachment: processes get their text back, lose everything that trammel put
 * into them, and run on. Nothing is changed before all threads are stopped, where that
 * is possible; if stopping them fails, they run on and it is tried again.
 */
#ifndef TRAMMEL_SESSION_RUN_LEAVE_H
#define TRAMMEL_SESSION_RUN_LEAVE_H

#include "session/state/session.h"

/* Lets attached processes run on untraced. Returns true once all are released; until
 * then it is to be called again, after session_act. */
bool session_leave(struct session *session);

#endif
