/* What happens to debugged threads: as debug_calls has it. */
#ifndef TRAMMEL_SESSION_DEBUG_EVENTS_H
#define TRAMMEL_SESSION_DEBUG_EVENTS_H

#include "session/state/debugging.h"
#include "session/state/session.h"

enum debug_resume debug_sees_resume(struct session *session, struct thread *thread,
				    int signal);
bool debug_sees_group(struct session *session, struct thread *thread, int signal);
bool debug_sees_event(struct session *session, struct thread *thread,
		      const struct event *event);
bool debug_sees_signal(struct session *session, struct thread *thread,
		       const siginfo_t *info);

#endif
