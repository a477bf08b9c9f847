/* What a debugger keeps of a session. */
#ifndef TRAMMEL_SESSION_DEBUG_STATE_H
#define TRAMMEL_SESSION_DEBUG_STATE_H

#include "session/debug/debug.h"
#include "session/state/debugging.h"

enum { DEBUG_SIGNALS = 65 };

/* A break instruction in a program's memory. */
struct debug_trap {
	struct space *space;
	uint64_t address;   /* where it is */
	uint64_t original;  /* of the program's instruction */
	uint8_t byte;       /* what it replaces */
	bool shared;        /* in the arena's file, which several processes may map */
	uint32_t row;       /* in debug_shared */
	uint32_t break_row; /* in wire_breaks */
};

/* A page of a module's code that became a process's own when it was written to. */
struct debug_page {
	struct space *space;
	uint64_t address;
};

/* Break instructions as guardians know them. */
enum { DEBUG_RESCUED_MAX = 4096 };
struct debug_shared {
	uint32_t count;
	struct debug_rescued {
		pid_t pid; /* 0: the row is free */
		uint8_t byte;
		uint64_t address;
		int64_t offset; /* in the arena's file; -1: it is not there */
	} rows[DEBUG_RESCUED_MAX];
};

/* A watchpoint. */
struct debug_watch {
	uint32_t number;
	pid_t pid;
	uint64_t address;
	unsigned int size; /* bytes: 1, 2, 4 or 8 */
	bool reads;        /* reads count, too */
	bool changes;      /* it stops only where the value is another one */
	unsigned int slot; /* which debug register */
	uint64_t was, now; /* the value before, and at the last stop */
	uint64_t hits;
};

struct debug {
	debug_listener *listener;
	void *context;
	bool follows;      /* children */
	bool alone;        /* nobody is there: signals do not stop */
	bool halted;       /* all are to stand */
	bool told;         /* all do, and the listener knows */
	bool inserted;     /* break instructions are in memory */
	bool stop;         /* the first image is to stop at its begin */
	bool others;       /* others may run while the stepping thread waits */
	uint64_t guard_ns; /* clock_now_ns() when processes are to be guarded again; 0:
			      they are */
	uint64_t asked_ns; /* clock_now_ns() when threads were asked to stop */
	uint32_t numbers;
	struct thread *passing; /* it gets its signal now; NULL: none does */
	struct debug_shared *shared;
	struct debug_signal_policy signals[DEBUG_SIGNALS];
	struct VECTOR(struct debug_breakpoint) breakpoints;
	struct VECTOR(struct debug_trap) traps;
	struct VECTOR(struct debug_page) pages;
	struct VECTOR(struct debug_watch) watches;
};

/* Whether a thread is one that stops with the others. */
static inline bool debug_has(const struct thread *thread)
{
	return thread->process && thread->process->debugged && thread->process->space &&
	       !thread->leaving;
}

#endif
