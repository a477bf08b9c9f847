/* Flags of a space that are set, as far as known: see session/adapt/fired.h. */
#ifndef TRAMMEL_SESSION_STATE_FIRED_STATE_H
#define TRAMMEL_SESSION_STATE_FIRED_STATE_H

#include "session/state/session.h"

void fired_deinit(struct space_fired *fired);

/* Returns whether forks of a space have taken so long, because of unpatched functions,
 * that no function is to be unpatched for now. */
bool fired_costs_forks(const struct session *session, const struct space *space);

/* Returns whether a flag was set at the last look. */
bool fired_has_seen(const struct space_fired *fired, const struct module_file *file,
		    uint32_t slot);

/* Forgets which probes fired: they are found anew. */
void fired_forget(struct space_fired *fired);

#endif
