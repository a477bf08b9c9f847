#include "session/state/debugging.h"

#include "session/state/session.h"

uint64_t debugging_act(struct session *session)
{
	return session->debug_calls ? session->debug_calls->act(session) : UINT64_MAX;
}

void debugging_code_changed(struct session *session, struct space *space,
			    const struct module_file *file)
{
	if (session->debug_calls)
		session->debug_calls->code_changed(session, space, file);
}
