/*
 * Spans: threads that are telling the library in the program of one. They run on their
 * bank's own stack then, where nobody may find them: see resident/spans.S.
 */
#ifndef TRAMMEL_SESSION_POSITION_SPANS_H
#define TRAMMEL_SESSION_POSITION_SPANS_H

#include "session/state/session.h"

#include <signal.h>

/* A bank is to be given to a thread; `old` is what it had before, NULL: none. */
void spans_begin(const struct session *session, const struct bank *old, struct bank *bank,
		 const struct thread_calls *calls);

/* Whether a stopped thread is in the middle of that. */
bool spans_tell(const struct session *session, const struct thread *thread,
		const struct user_regs_struct *registers);

/* The same, or whether it has counted the call and not told it yet. */
bool spans_hold(const struct session *session, const struct thread *thread,
		const struct user_regs_struct *registers);

/* Where in the program a thread is that tells the library of a span, in `registers`;
 * false if it does not, or the registers show that by themselves. */
bool spans_find_gate(const struct session *session, const struct thread *thread,
		     struct user_regs_struct *registers);

/* A signal that such a thread is stopped with comes when it is through: it is sent again,
 * and blocked until then. False: it cannot be put off. */
bool spans_put_off(struct thread *thread, int signal, const siginfo_t *info);

/* A timer's signal is blocked until the thread's next stop: if the tracer is killed
 * before that, the thread's mask becomes `mask` behind the next span. */
void spans_note_mask(const struct session *session, struct thread *thread, uint64_t mask);
void spans_forget_mask(const struct session *session, struct thread *thread);

#endif
