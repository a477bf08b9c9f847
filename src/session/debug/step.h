/* Leading a thread on by single instructions. */
#ifndef TRAMMEL_SESSION_DEBUG_STEP_H
#define TRAMMEL_SESSION_DEBUG_STEP_H

#include "session/debug/view.h"
#include "session/state/debugging.h"
#include "session/state/session.h"

/* Prepares a thread, which stands, for such an aim; it is then to be resumed. */
void debug_step_begin(struct thread *thread, enum debug_aim aim,
		      const struct debug_view *view);

/* Goes on with it, as debug_calls.resumes. */
enum debug_resume debug_step_on(struct session *session, struct thread *thread,
				int signal);

/* Has a stopped thread execute the instruction in front of which it is, as if there was
 * no break instruction, while all threads that might pass it stand. */
void debug_step_over(struct session *session, struct thread *thread);

#endif
