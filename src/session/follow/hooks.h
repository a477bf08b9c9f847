/* Requests of threads through their mailboxes: see the WIRE_HOOK_ numbers. */
#ifndef TRAMMEL_SESSION_FOLLOW_HOOKS_H
#define TRAMMEL_SESSION_FOLLOW_HOOKS_H

#include "session/state/session.h"

void hooks_serve(struct session *session, struct family *family);

/* Handles a system call that a stopped thread is about to make itself, as a hook of it
 * would. Returns false if the thread was let go and no longer exists. */
bool hooks_see_call(struct session *session, struct thread *thread);

#endif
