/* What a debugger is asked by the rooms below it: see session/debug/debug.h. */
#ifndef TRAMMEL_SESSION_STATE_DEBUGGING_H
#define TRAMMEL_SESSION_STATE_DEBUGGING_H

#include "control/event.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct session;
struct process;
struct space;
struct thread;
struct module_file;

/* What to do with a thread that is about to go on. */
enum debug_resume {
	DEBUG_LETS_GO,
	DEBUG_HOLDS,         /* it stays; the debugger lets it go on later */
	DEBUG_LETS_TO_CALL,  /* it goes on to the next begin or end of a system call */
	DEBUG_LETS_TO_ENTER, /* it goes on to the first instruction of a handler */
};

struct debug_calls {
	/* A thread is about to go on with `signal` (0: none). */
	enum debug_resume (*resumes)(struct session *session, struct thread *thread,
				     int signal);
	/* It is about to go back to a group-stop; true: it stays as it is. */
	bool (*holds_group)(struct session *session, struct thread *thread, int signal);
	/* It has an event. True: all is done. */
	bool (*takes_event)(struct session *session, struct thread *thread,
			    const struct event *event);
	/* It is about to get a signal. True: it stays, and signals_deliver is called
	 * again when it gets it. */
	bool (*takes_signal)(struct session *session, struct thread *thread,
			     const siginfo_t *info);
	/* Code of a space was changed; `file`: of modules of this file (NULL: any), new
	 * code was added to it, and is about to be used. */
	void (*code_changed)(struct session *session, struct space *space,
			     const struct module_file *file);
	/* A child was forked, and is at its first stop. */
	void (*forked)(struct session *session, struct thread *parent,
		       struct thread *child);
	/* An image of a process is there, and its first instruction is next. */
	void (*image_begins)(struct session *session, struct thread *thread);
	/* A thread is about to run first, or has ended; of a process with its last. */
	void (*thread_begins)(struct session *session, struct thread *thread);
	void (*thread_ends)(struct session *session, struct thread *thread,
			    const struct event *event);
	/* The program's files may be other ones now. */
	void (*modules_changed)(struct session *session, struct thread *thread);
	/* A thread waits in a hook before a call of sigaction(2) for a signal. */
	void (*action_changes)(struct session *session, struct thread *thread,
			       int signal);
	/* A process is about to be let go; its threads are stopped. */
	void (*leaves)(struct session *session, struct process *process);
	/* Does what is due. Returns the nanoseconds until more is. */
	uint64_t (*act)(struct session *session);
	/* In a guardian: the tracer is dead. */
	void (*rescue)(struct session *session);
};

/* Does what is due for the debugger, if there is one. Returns the nanoseconds until more
 * is. */
uint64_t debugging_act(struct session *session);

/* Tells a debugger that code was changed: see debug_calls. */
void debugging_code_changed(struct session *session, struct space *space,
			    const struct module_file *file);

#endif
