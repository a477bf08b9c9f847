/*
 * Probes that fired and unpatched functions come back where another process has a copy of
 * them, or shares them: see session/adapt/fired.h.
 */
#ifndef TRAMMEL_SESSION_FOLLOW_FIRED_RESTORE_H
#define TRAMMEL_SESSION_FOLLOW_FIRED_RESTORE_H

#include "session/state/session.h"

/* Sets probes, which are sorted, in memory that `memory_fd` writes. Where something else
 * lies by now nothing is changed. */
void fired_set_probes(int memory_fd, const struct space_probes *probes, bool fired);

/* Has threads of the space that stand between two jumps of a text pass them: the text
 * changes. */
void fired_leave_islands(const struct session *session, const struct space *space);

/* Has all probes of a space there again, whose threads stand, and nothing unpatched. */
void fired_restore_own(struct session *session, struct space *space);

/* Another process has a copy of the space, or shares it, and has not run yet: all probes
 * are there again. */
void fired_restore_copy(struct session *session, struct space *original,
			struct space *copy);

void fired_restore_shared(struct session *session, struct space *space);

#endif
