/* Search for the modules mapped in an address space; installs their trampolines and
 * patches. */
#ifndef TRAMMEL_SESSION_MODULES_MODULES_H
#define TRAMMEL_SESSION_MODULES_MODULES_H

#include "session/state/session.h"

/* Finds the modules of a stopped thread's address space and instruments them. Returns
 * false if files are still being planned: to be called again when session_planned()
 * reports them. */
bool modules_update(struct session *session, struct thread *thread);

/* Writes the original bytes back over all patches of a space, as process `pid` has it.
 * Returns false if some bytes could not be restored, so that counting continues. */
bool space_restore_text(struct session *session, struct space *space, pid_t pid);

/* Forgets modules of the thread's space that are not in session.maps. */
void modules_drop(struct session *session, struct thread *thread);

#endif
