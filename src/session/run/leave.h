/*
 * The end of an attachment: processes get their text back, lose all that is ours, and run
 * on. Nothing is begun before all threads stand where that is possible; if they do not,
 * they run on and it is tried again.
 */
#ifndef TRAMMEL_SESSION_RUN_LEAVE_H
#define TRAMMEL_SESSION_RUN_LEAVE_H

#include "session/state/session.h"

/* Lets processes that are attached to run on without us. True once all are left; until
 * then it is to be called again, after session_act. */
bool session_leave(struct session *session);

#endif
