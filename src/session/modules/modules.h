/* Finds what is mapped in an address space, and puts trampolines and patches there. */
#ifndef TRAMMEL_SESSION_MODULES_MODULES_H
#define TRAMMEL_SESSION_MODULES_MODULES_H

#include "session/state/session.h"

/* False if files are still being planned: to be called again when session_planned()
 * comes. */
bool modules_update(struct session *session, struct thread *thread);

/* Writes the original bytes back over all patches of a space that `pid` has. False: they
 * are not all there, and it counts on. */
bool space_restore_text(struct session *session, struct space *space, pid_t pid);

/* Forgets modules of the thread's space that session.maps does not have. */
void modules_drop(struct session *session, struct thread *thread);

#endif
