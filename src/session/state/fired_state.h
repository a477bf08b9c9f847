/* Which flags of a space are set, as far as that is known: see session/adapt/fired.h. */
#ifndef TRAMMEL_SESSION_STATE_FIRED_STATE_H
#define TRAMMEL_SESSION_STATE_FIRED_STATE_H

#include "session/state/session.h"

void fired_deinit(struct space_fired *fired);

/* Whether forks of a space have taken so long, for what is unpatched, that nothing is to
 * be unpatched for now. */
bool fired_costs_forks(const struct session *session, const struct space *space);

/* Whether a flag was set at the last look. */
bool fired_has_seen(const struct space_fired *fired, const struct module_file *file,
		    uint32_t slot);

/* What fired is found anew. */
void fired_forget(struct space_fired *fired);

#endif
