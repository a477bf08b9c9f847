/*
 * Spans: threads that are reporting a span to the library in the program, or calling a
 * routine of a tool (resident/tool.S). They run on
 * their bank's own stack meanwhile, where they must not be found: see resident/spans.S.
 */
#ifndef TRAMMEL_SESSION_POSITION_SPANS_H
#define TRAMMEL_SESSION_POSITION_SPANS_H

#include "session/state/session.h"

#include <signal.h>

/* Prepares a bank that a thread is about to get; `old` is its bank before, NULL: none. */
void spans_begin(const struct session *session, const struct bank *old, struct bank *bank,
		 const struct thread_calls *calls);

/* Returns whether a stopped thread is in the middle of such a report. */
bool spans_tell(const struct session *session, const struct thread *thread,
		const struct user_regs_struct *registers);

/* Returns whether a stopped thread is in such a report, or has counted the call and
 * not reported it yet. */
bool spans_hold(const struct session *session, const struct thread *thread,
		const struct user_regs_struct *registers);

/* Takes a thread back to the start of a point in which it has not called a routine yet,
 * if all that was done so far can be undone. Returns false if that fails. */
bool spans_undo_point(const struct session *session, const struct thread *thread,
		      struct user_regs_struct *registers);

/* Writes to `registers` where in the program a thread is that reports a span; returns
 * false if it reports none, or the registers already show that place. */
bool spans_find_gate(const struct session *session, const struct thread *thread,
		     struct user_regs_struct *registers);

/* Moves a stopped thread that is done with a routine of a tool, but still in the
 * resident, back into the code of the point; returns false if it is elsewhere. */
bool spans_leave_routine(const struct thread *thread, struct user_regs_struct *registers);

/* Routine of a tool that a thread is in. */
struct spans_routine {
	uint64_t address; /* run-time address of the routine */
	uint64_t back;    /* return address in the code of the point */
};

/* Leads a stopped thread that is in a routine of a tool out of it, as if it had returned.
 * Returns false if it is in none. */
bool spans_break_routine(const struct session *session, const struct thread *thread,
			 struct user_regs_struct *registers,
			 struct spans_routine *ret_routine);

/* Gives a thread, or takes from it (0), the thread pointer that routines of tools have.
 */
void spans_set_thread_pointer(const struct session *session, const struct thread *thread,
			      uint64_t pointer);

/* Returns whether a tool has routines that run on the stacks of banks. */
bool spans_have_stacks(const struct session *session);

/* Has no routine of a tool called by a thread any more (`bar`), as at its beginning, or
 * allows it. One that it is in goes on. */
void spans_bar_routines(const struct session *session, const struct thread *thread,
			bool bar);

/* The same of all threads that have a bank. If it is one for several, that stays. */
void spans_bar_bank(const struct session *session, const struct bank *bank, bool bar);

/* Marks the routine that a thread is in, if any. Returns whether it was marked before: it
 * is the same call. */
bool spans_mark_routine(const struct session *session, const struct thread *thread);

/* Postpones a signal that such a thread is stopped with until its report is done: it
 * is sent again, and blocked until then. Returns false if it cannot be postponed. */
bool spans_put_off(struct thread *thread, int signal, const siginfo_t *info);

/* Has a thread that traps its system calls, and that is in such a report, make no more of
 * trammel's until the report is done: then one is trapped, and the thread can leave. Its
 * stack leads to relocated code until then. Returns false if it is in none. */
bool spans_trap_behind(const struct session *session, const struct thread *thread,
		       const struct user_regs_struct *registers);

/* Tells the buffers of the thread (struct wire_buffer) that it has another bank. */
void spans_move_buffers(const struct session *session, const struct thread *thread);

/* Notes that a timer's signal is blocked until the thread's next stop: if the tracer
 * is killed before that, the thread's mask becomes `mask` behind the next span. */
void spans_note_mask(const struct session *session, struct thread *thread, uint64_t mask);
void spans_forget_mask(const struct session *session, struct thread *thread);

#endif
