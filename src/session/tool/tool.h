/*
 * Tools in measured processes: when their routines are called, and what threads and
 * processes that come and go mean for them. See docs/design/tool-namespace.md.
 */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_H
#define TRAMMEL_SESSION_TOOL_TOOL_H

#include "session/state/session.h"

/* Loads the tools into the process of a thread that is stopped outside of a system call,
 * and has them start. Errors: a tool cannot be loaded; the program is unharmed. */
struct trm_error *tool_start(struct session *session, struct thread *thread);

/* Prepares a thread that stands before its first instruction. */
void tool_thread_begin(struct session *session, struct thread *thread);

/* Tells the tools in the copy of a process, at its first stop, which thread runs there:
 * the child of `parent`. */
void tool_see_fork(struct session *session, const struct thread *parent,
		   struct thread *child);

/* Acts on the entry of a thread to a system call, or the exit from it. Returns whether it
 * did, and has resumed the thread, or the thread is gone. */
bool tool_see_call(struct session *session, struct thread *thread);

/* Acts on a signal that is about to end a process. Returns whether it did: the signal
 * will come again. */
bool tool_see_signal(struct session *session, struct thread *thread,
		     const siginfo_t *info);

/* Notes that a process was killed before its tools could end. */
void tool_see_kill(struct session *session, struct process *process);

/* Has the tools of a process end, on a thread that is stopped outside of a system call.
 */
void tool_end(struct session *session, struct thread *thread);

/* Has the tools of a process end whose threads are stopped, since it is let go. */
void tool_leave(struct session *session, struct process *process);

/* Forgets what a thread was for tools: it executes another program. */
void tool_see_exec(struct thread *thread);

#endif
