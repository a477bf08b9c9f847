/*
 * Positions of threads in functions relocated as a whole, when counting begins or ends
 * while they run: the part of a block that was executed by then belongs to one side,
 * the rest to the other.
 */
#ifndef TRAMMEL_SESSION_COUNT_BOUNDARIES_H
#define TRAMMEL_SESSION_COUNT_BOUNDARIES_H

#include "session/state/session.h"

/*
 * Notes that counting begins (`by` -1) or ends (1) at the place where the stopped
 * thread with these registers stands, and at the places to which its signal handlers
 * will return. Counters right in front of it are taken as if it had run them: see
 * boundaries_count_ahead.
 */
void boundaries_note(const struct session *session, struct thread *thread,
		     const struct user_regs_struct *registers, int by);

/* Adds 1 to `counts` for each counter right in front of which a stopped thread of the
 * process stands. */
void boundaries_count_ahead(const struct session *session, const struct process *process,
			    struct image_counts *counts);

/* Notes that a thread is about to continue in the original code: its image counts no
 * more. */
void boundaries_leave(const struct session *session, struct thread *thread,
		      const struct user_regs_struct *registers);

#endif
