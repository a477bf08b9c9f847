/*
 * Upcalls: a function of the program, or of an object that is preloaded into it, is
 * called in the midst of whatever a thread does, each time that events have happened so
 * often: a millisecond of processor time has gone by, a page was touched for the first
 * time, a counter of the processor went over. It sees, and may change, the machine state
 * that was interrupted. Link with -ltrammel; C11 and C++11.
 *
 *     static void look(struct trm_upcall *upcall)
 *     {
 *             count_address(upcall->pc);
 *     }
 *
 *     const struct trm_upcall_options options = {
 *             .size = sizeof(options),
 *             .handler = look,
 *     };
 *     const char *trouble = trm_upcall_enable(&options, NULL);
 *
 * That is one upcall for each millisecond that any thread computes: in all threads, those
 * of later, too. man/trammel-upcall.3.md tells what a handler may do, and what signals,
 * forks, exceptions and longjmp mean for it.
 */
#ifndef TRAMMEL_UPCALL_H
#define TRAMMEL_UPCALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	TRM_UPCALL_USERS_MAX = 8,     /* calls of trm_upcall_enable() at one time */
	TRM_UPCALL_EVENTS_MAX = 6,    /* events of one of them */
	TRM_UPCALL_DEFERRED_MAX = 32, /* functions that wait, of a thread */
};

enum trm_upcall_flag {
	/* Interrupts while the handler runs make further upcalls of this or others. */
	TRM_UPCALL_NESTED = 1,
	/* In children of fork upcalls go on; else they have none. */
	TRM_UPCALL_FOLLOW_FORK = 2,
	/* The handler runs on the stack on which the signal was delivered: the program's
	 * alternate stack or its own. Else it has a stack of its own in each thread. */
	TRM_UPCALL_SIGNAL_STACK = 4,
	/* Clocks are POSIX timers of the threads, as where perf events are forbidden. */
	TRM_UPCALL_TIMERS = 8,
};

struct trm_upcall_event {
	/* "cpu-clock" (of the thread, while it runs code of its own), "page-faults",
	 * "context-switches", "cycles", ...: those of the perf service of channels. */
	const char *name;
	/* An interrupt each time it has happened so often; clocks: nanoseconds, from
	 * 10000. 0: a millisecond of a clock, a million of the processor's events, 1 of
	 * others. */
	uint64_t period;
};

/* A thread was interrupted. Valid until the handler returns. */
struct trm_upcall {
	uint32_t size;       /* of this struct, in the library */
	uint32_t event;      /* which: the index in `events` */
	const char *name;    /* of the event */
	uint64_t interrupts; /* of this event in this thread since its last upcall */
	uint64_t pc;         /* of the instruction that is next */
	ucontext_t *context; /* the machine state, which the thread goes on with */
	void *data;          /* of the options */
	uint32_t thread;     /* the kernel's number of it */
	uint32_t depth;      /* upcalls that this one interrupted */
};

typedef void trm_upcall_handler(struct trm_upcall *upcall);

struct trm_upcall_options {
	uint32_t size;  /* sizeof(struct trm_upcall_options); what is 0 is usual */
	uint32_t flags; /* enum trm_upcall_flag */
	trm_upcall_handler *handler;
	void *data;                            /* for the handler */
	const struct trm_upcall_event *events; /* NULL: {"cpu-clock", 1000000} */
	uint32_t event_count;
	uint32_t stack_bytes; /* of the handler's stacks; 0: 64 KiB, at least 16 KiB */
	uint64_t every; /* an upcall after so many interrupts of an event in a thread */
	/* While this word is not 0 there are no upcalls: the library sets it to 1 before
	 * an upcall, and the handler, or the program later, sets it to 0. NULL: none. */
	uint32_t *disable;
};

/* Number of what was enabled; 0 is none. */
typedef uint32_t trm_upcall_id;

/* Begins to make upcalls, in all threads of the process. `options` need not outlive the
 * call. `ret_id` may be NULL. Returns why it cannot, or NULL. Not for signal handlers. */
const char *trm_upcall_enable(const struct trm_upcall_options *options,
			      trm_upcall_id *ret_id);

/* Ends it. When it returns, no handler of this number runs or will, but for the one that
 * calls this. False: there is no such number. Not for signal handlers. */
bool trm_upcall_disable(trm_upcall_id id);

struct trm_upcall_statistics {
	uint32_t size;    /* sizeof(struct trm_upcall_statistics), set by the caller */
	uint32_t threads; /* that are interrupted now */
	uint32_t threads_missed; /* that could not be, and have ended or not */
	int32_t signal;          /* which the library took for it */
	uint64_t interrupts;
	uint64_t
		waiting; /* interrupts that were not delivered yet: signals are blocked */
	/* Interrupts / every = upcalls + the next three + what is short of an upcall. */
	uint64_t upcalls;
	uint64_t skipped_disabled; /* the word `disable` was not 0 */
	uint64_t skipped_nested;   /* the thread was in an upcall */
	uint64_t lost;       /* came together with another, since the signal was late */
	uint64_t left;       /* upcalls that were left by longjmp */
	uint64_t handler_ns; /* nanoseconds, in all threads */
	uint64_t deferred, deferred_run, deferred_lost; /* functions; of all numbers */
	const char *trouble; /* what went wrong last: events that could not be had in a
				thread, a handler that the program replaced; NULL: nothing
			      */
	uint32_t event_count;
	struct {
		const char *name;
		const char *source; /* "perf" or "timer" */
		uint64_t period, interrupts, upcalls;
	} events[TRM_UPCALL_EVENTS_MAX];
};

/* Writes what happened so far, also while it goes on. False: there is no such number. Not
 * for signal handlers. */
bool trm_upcall_statistics(trm_upcall_id id, struct trm_upcall_statistics *statistics);

/* For handlers: has `function` called with `data` in this thread at the next place where
 * it may call whatever the program's own code may at that place: see the manual page.
 * False: the thread has TRM_UPCALL_DEFERRED_MAX already, or none are possible. */
bool trm_upcall_defer(void (*function)(void *data), void *data);

/* Calls what was deferred in this thread: the program says that this is a safe place.
 * Returns how many were called; 0 in handlers of upcalls. */
size_t trm_upcall_run_deferred(void);

/* Reads the vector register `number` (0 to 31) of the interrupted state into `size`
 * bytes at `value`: 16 are xmm, 32 ymm, 64 zmm. False: the processor has it not. */
bool trm_upcall_read_vector(const struct trm_upcall *upcall, uint32_t number, void *value,
			    size_t size);

/* Writes it; what lies above `size` bytes stays as it is. */
bool trm_upcall_write_vector(const struct trm_upcall *upcall, uint32_t number,
			     const void *value, size_t size);

#ifdef __cplusplus
}
#endif

#endif
