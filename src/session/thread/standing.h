/*
 * Where threads stand in functions relocated whole, when counting begins or ends while
 * they run: what they executed of a block belongs to one side, the rest to the other.
 */
#ifndef TRAMMEL_SESSION_THREAD_STANDING_H
#define TRAMMEL_SESSION_THREAD_STANDING_H

#include "session/state/session.h"

/* Threads that were stopped for a moment. */
struct standing {
	struct VECTOR(struct thread *) threads;
	uint64_t since; /* clock_now_ns() */
};

/* Stops all threads of all processes that are measured, or of one space alone (NULL: of
 * all), as far as they are not stopped. One that cannot be is in a system call, and
 * executes nothing that is counted. */
void standing_begin(struct session *session, const struct space *space,
		    struct standing *standing);
/* Those that standing_begin stopped go on. */
void standing_end(struct session *session, struct standing *standing);

/* Whether all threads of a space stand. */
bool standing_all(const struct session *session, const struct space *space);

/* Whether what a process runs, or counts with, may be changed while they do: it is
 * measured, and nobody else has its space. */
bool standing_may_change(const struct process *process);

/* Whether a program starts: its loader's thread is needed to instrument modules before
 * any of them runs, and one that has just been stopped cannot be used for that. What is
 * `late_ns` late by now waits for a second at most. */
bool standing_must_wait(const struct session *session, uint64_t late_ns);
#define STANDING_WAIT_NS 1000000u /* until it is asked again */

/*
 * Counting begins (`by` -1) or ends (1) where the stopped thread of these registers
 * stands, and where handlers of it will go back to. Counters right in front of it are
 * taken as if it had run them: see standing_count_ahead.
 */
void standing_note(const struct session *session, struct thread *thread,
		   const struct user_regs_struct *registers, int by);

/* Adds 1 for each counter right in front of which a stopped thread of the process
 * stands. */
void standing_count_ahead(const struct session *session, const struct process *process,
			  struct image_counts *counts);

/* A thread is about to go on in the original code: its image counts no more. */
void standing_leave(const struct session *session, struct thread *thread,
		    const struct user_regs_struct *registers);

/* A thread of a text that is to be patched goes on in relocated code, if it stands in
 * what is relocated, or between instructions that a patch replaces. */
void standing_lead_in(const struct space *space, struct user_regs_struct *registers);

#endif
