/*
 * System calls of tools. The tracer answers those that would touch the program: files are
 * its own descriptors, memory comes from the tools' pool of addresses, threads, processes
 * and signal handlers there are none.
 */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_CALLS_H
#define TRAMMEL_SESSION_TOOL_TOOL_CALLS_H

#include "session/state/session.h"

/* What a thread that runs code of tools has come to. */
enum tool_event {
	TOOL_GOES_ON, /* nothing: it is to be resumed */
	TOOL_BACK,    /* the routine returned */
	TOOL_READY,   /* WIRE_TOOL_READY */
	TOOL_REFUSED, /* WIRE_TOOL_REFUSED */
	TOOL_WAITS,   /* WIRE_TOOL_THREAD */
	TOOL_LEFT,    /* it wants to exit */
	TOOL_ABORTED, /* it sends itself a signal: abort(3) and the like */
	TOOL_FAULTED, /* an instruction faulted */
	TOOL_LATE,    /* it has not come to anything in time */
};

/* System call of a tool at its entry. */
struct tool_request {
	struct session *session;
	struct thread *thread;
	struct space *space;
	uint64_t *arguments[6]; /* in registers */
	struct user_regs_struct registers;
	enum tool_event event; /* out */
};

/* Result of a served call that the kernel is to make. */
#define TOOL_CALL_MADE INT64_MIN

/* Acts on the entry to a system call of a tool's code: answers it, or has the kernel make
 * it, with other arguments maybe. The caller resumes the thread if it goes on.
 * `emulated`: it came there by REMOTE_EMULATE; if tool_pending.entered is true then, the
 * next stops are to be the entry to and the exit from the call that the kernel makes. */
enum tool_event tool_calls_enter(struct session *session, struct thread *thread,
				 bool emulated);

/* Acts on any stop at a system call of a tool's code: its entry, by REMOTE_EMULATE if
 * `emulated`, or what follows of it. */
enum tool_event tool_calls_see(struct session *session, struct thread *thread,
			       bool emulated);

/* Has a call made, when the thread goes on, that was only announced. */
void tool_calls_make(struct user_regs_struct *registers);

/* Acts on the exit from such a call. */
void tool_calls_leave(struct thread *thread);

/* Takes `size` bytes (rounded up to pages) of the pool; 0: it is full. */
uint64_t tool_calls_take(struct tool_space *tools, uint64_t size);

#endif
