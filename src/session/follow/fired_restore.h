/*
 * Restoring of fired probes and unpatched functions where another process has a copy of
 * them, or shares them: see session/adapt/fired.h.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_FIRED_RESTORE_H
#define TRAMMEL_SESSION_FOLLOW_FIRED_RESTORE_H

#include "session/state/session.h"

/* Writes sorted probes to memory through `memory_fd`. A place that no longer holds the
 * probe is left unchanged. */
void fired_set_probes(int memory_fd, const struct space_probes *probes, bool fired);

/* Moves threads of the space that stand between two jumps of a text past them: the
 * text changes. */
void fired_leave_islands(const struct session *session, const struct space *space);

/* Restores all probes of a space whose threads are stopped, and leaves no function
 * unpatched. */
void fired_restore_own(struct session *session, struct space *space);

/* Restores all probes in another process that has a copy of the space, or shares it,
 * and has not run yet. */
void fired_restore_copy(struct session *session, struct space *original,
			struct space *copy);

void fired_restore_shared(struct session *session, struct space *space);

#endif
