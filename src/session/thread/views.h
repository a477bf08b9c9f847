/*
 * Views of threads' banks, one for each phase: wire/phase.h.
 */
#ifndef TRAMMEL_SESSION_THREAD_VIEWS_H
#define TRAMMEL_SESSION_THREAD_VIEWS_H

#include "session/state/session.h"

struct wire_phase;

/* Begins to use a bank that was just taken: what it counts itself is `phase`, unless it
 * counted something else before; and the library in the program may ask for views of it.
 */
void views_begin_bank(const struct session *session, struct bank *bank, uint32_t phase);

/* Has the library in the program ask for no more views of the thread's banks: it is let
 * go. */
void views_end(const struct thread *thread);

/* Answers a thread that waits for a view for the phase of this name. May have it map
 * memory. */
void views_answer(struct session *session, struct thread *thread, const char *name,
		  struct wire_phase *ret_answer);

/* Has a stopped thread count in a phase from now on. May inject calls into it. */
void views_enter(struct session *session, struct thread *thread, uint32_t phase);

/* Returns what the counters of a phase are called in profiles; valid as long as the
 * session. */
const char *phase_name(const struct session *session, uint32_t phase);

#endif
