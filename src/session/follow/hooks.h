/* What threads ask through their mailboxes: see the WIRE_HOOK_ numbers. */
#ifndef TRAMMEL_SESSION_FOLLOW_HOOKS_H
#define TRAMMEL_SESSION_FOLLOW_HOOKS_H

#include "session/state/session.h"

void hooks_serve(struct session *session, struct family *family);

/* A system call that a stopped thread is about to make itself, as a hook would hear of
 * it. False if the thread was let go: it is no more. */
bool hooks_see_call(struct session *session, struct thread *thread);

#endif
