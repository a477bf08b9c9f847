/*
 * Debugging of measured programs: what a debugger needs of a session. All functions are
 * called on the tracer's thread.
 *
 * The debugger sees the original program. A thread that stands is in front of one of the
 * program's instructions: where it was found inside of trammel's code, it was led on to
 * the next one. Addresses and code are the original ones, in registers, in memory and on
 * stacks; breakpoints are met wherever their instruction runs.
 *
 * Either all debugged threads stand, or all run, but for one that is led on by a step.
 * No break instruction is in the program's memory while they stand.
 */
#ifndef TRAMMEL_SESSION_DEBUG_DEBUG_H
#define TRAMMEL_SESSION_DEBUG_DEBUG_H

#include "base/error.h"
#include "session/state/session.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum debug_event_kind {
	DEBUG_EVENT_PROCESS,       /* a process was forked, or is the first */
	DEBUG_EVENT_EXEC,          /* a process begins an image: all is loaded anew */
	DEBUG_EVENT_PROCESS_ENDED, /* `status` as waitpid has it */
	DEBUG_EVENT_PROCESS_LEFT,  /* it is not traced any more */
	DEBUG_EVENT_THREAD,        /* a thread was created */
	DEBUG_EVENT_THREAD_ENDED,  /* a thread ended, but with its process */
	DEBUG_EVENT_MODULES,       /* files were mapped or unmapped */
	DEBUG_EVENT_STOPPED,       /* all debugged threads stand */
	DEBUG_EVENT_SESSION_ENDED, /* there is nothing left to debug */
};

/* Why they stand. */
enum debug_reason {
	DEBUG_REASON_ASKED,      /* by debug_halt */
	DEBUG_REASON_BEGIN,      /* in front of the first instruction of an image */
	DEBUG_REASON_STEP,       /* the step is done */
	DEBUG_REASON_BREAKPOINT, /* the thread is in front of a breakpoint's instruction
				  */
	DEBUG_REASON_SIGNAL,     /* it is about to get a signal */
	DEBUG_REASON_WATCH,      /* it has executed what a watchpoint is for */
};

struct debug_event {
	enum debug_event_kind kind;
	pid_t pid, tid;
	pid_t parent;             /* of DEBUG_EVENT_PROCESS; 0: none */
	int status;               /* of DEBUG_EVENT_PROCESS_ENDED */
	enum debug_reason reason; /* of DEBUG_EVENT_STOPPED */
	int signal;               /* of DEBUG_REASON_SIGNAL */
	uint32_t breakpoint;      /* of DEBUG_REASON_BREAKPOINT, _WATCH: its number */
	uint64_t address;         /* of DEBUG_EVENT_STOPPED: the thread's place */
};

typedef void debug_listener(struct session *session, const struct debug_event *event,
			    void *context);

/* Tells the listener of an event. */
void debug_tell(struct session *session, const struct debug_event *event);

/* Makes the session's processes debugged, those that it has and those that will be
 * started. `stop`: they stop as soon as they can, a program that starts in front of its
 * first instruction. Fails if somebody else debugs it. */
struct trm_error *debug_begin(struct session *session, debug_listener *listener,
			      void *context, bool stop);

/* Ends that: breakpoints go, and threads run on, with the signals that they stand at. */
void debug_end(struct session *session);

/* Whether processes that debugged ones fork are debugged, too; at first they are not. */
void debug_follow_children(struct session *session, bool follow);

/* Whether nobody is there who could let the program go on: signals do not stop it then.
 */
void debug_set_alone(struct session *session, bool alone);

/* Ends the debugging of one process, which runs on measured. */
void debug_leave(struct session *session, struct process *process);

/* Returns whether all debugged threads stand, and that was told. */
bool debug_is_halted(const struct session *session);

/* Has a thread execute one instruction of the program. The others stand meanwhile, but
 * with `others` where it waits in a system call. */
struct trm_error *debug_step(struct session *session, pid_t tid, bool others);

/* What happens at a signal. All signals stop and are passed at first, but for those of
 * timers, children and windows, which do not stop. */
struct debug_signal_policy {
	bool stops, passes;
};
struct debug_signal_policy *debug_signal_policy(struct session *session, int signal);

/* Sets the signal that a thread, which stands at one, gets when it goes on; 0: none. */
struct trm_error *debug_set_signal(struct session *session, pid_t tid, int signal);

/* Asked at each time that a thread comes to a breakpoint's instruction: whether it
 * stops. The thread's registers and memory may be read. */
typedef bool debug_condition(struct session *session, struct thread *thread,
			     void *context);

struct debug_breakpoint {
	uint32_t number; /* from 1 on; set by debug_break */
	pid_t pid;       /* 0: in all processes */
	uint64_t address;
	debug_condition *condition; /* NULL: it stops always */
	void *context;
	uint64_t ignore; /* times that it does not stop, from now on */
	uint64_t hits;   /* times that a thread came there and the condition held */
	bool off;        /* no hits are counted */
};

/* Sets a breakpoint; debugged threads need not stand. `ret_number`: its number. */
void debug_break(struct session *session, const struct debug_breakpoint *breakpoint,
		 uint32_t *ret_number);

/* Returns a breakpoint, whose fields but number, pid and address may be changed; NULL:
 * there is none with this number. Valid until the next one is set or taken away. */
struct debug_breakpoint *debug_breakpoint(struct session *session, uint32_t number);

/* Takes a breakpoint away. */
void debug_unbreak(struct session *session, uint32_t number);

#endif
