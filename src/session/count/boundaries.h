/*
 * Where threads stand in functions relocated whole, when counting begins or ends while
 * they run: what they executed of a block belongs to one side, the rest to the other.
 */
#ifndef TRAMMEL_SESSION_COUNT_BOUNDARIES_H
#define TRAMMEL_SESSION_COUNT_BOUNDARIES_H

#include "session/state/session.h"

/*
 * Counting begins (`by` -1) or ends (1) where the stopped thread of these registers
 * stands, and where handlers of it will go back to. Counters right in front of it are
 * taken as if it had run them: see boundaries_count_ahead.
 */
void boundaries_note(const struct session *session, struct thread *thread,
		     const struct user_regs_struct *registers, int by);

/* Adds 1 for each counter right in front of which a stopped thread of the process
 * stands. */
void boundaries_count_ahead(const struct session *session, const struct process *process,
			    struct image_counts *counts);

/* A thread is about to go on in the original code: its image counts no more. */
void boundaries_leave(const struct session *session, struct thread *thread,
		      const struct user_regs_struct *registers);

#endif
