/*
 * What the files of this room share: who wants upcalls (users), of which events
 * (sources), and what each thread has for that. Handlers read it without a lock; it is
 * written under upcalls.lock, but for what belongs to a thread and is written by its
 * handlers alone.
 */
#ifndef TRAMMEL_RUNTIME_UPCALL_STATE_H
#define TRAMMEL_RUNTIME_UPCALL_STATE_H

#define TRM_IN_LIBRARY_
#include "trammel/upcall.h"
#include "runtime/store/lock.h"

#include <linux/perf_event.h>
#include <signal.h>

enum {
	UPCALL_SOURCES = 24,
	UPCALL_DEPTH_MAX = 8,
	/* The event of a source that is no event of its user: a clock at which those are
	 * looked for that happen in the kernel. */
	UPCALL_DOORBELL = TRM_UPCALL_EVENTS_MAX,
};

struct upcall_counts {
	uint64_t interrupts, upcalls, disabled, nested, lost, left, ns;
};

enum upcall_user_state { UPCALL_FREE, UPCALL_ACTIVE, UPCALL_STOPPED };

struct upcall_user {
	uint32_t state;   /* enum upcall_user_state; STOPPED: in a child of fork */
	uint32_t running; /* its upcalls in all threads */
	trm_upcall_id id;
	struct trm_upcall_options options; /* `events` is not kept */
};

struct upcall_source {
	bool taken;
	uint32_t user;  /* its index */
	uint32_t event; /* its index in the user's options, or UPCALL_DOORBELL */
	char name[40];
	struct perf_event_attr attributes;
	bool is_clock;              /* a timer can take its place */
	bool in_kernel;             /* sends no signal: see docs/design/upcalls.md */
	bool by_timer;              /* no perf event is tried */
	struct upcall_counts ended; /* of threads that have none any more */
};

/* A source in a thread: a perf event with its ring, or a timer. */
struct upcall_own {
	struct perf_event_mmap_page *ring; /* NULL: none */
	int timer;                         /* the kernel's number + 1; 0: none */
	uint64_t since;  /* interrupts that have not made an upcall due */
	uint64_t untold; /* interrupts since the last upcall */
	struct upcall_counts counts;
};

struct upcall_stack {
	char *low; /* NULL: none; the first page is the guard */
	size_t size;
};

/* An upcall that runs; it lies on the stack on which its signal was delivered. */
struct upcall_frame {
	struct upcall_frame *previous; /* which it interrupted */
	struct upcall_thread *thread;
	uint32_t source, user;                    /* indices */
	uint64_t began;                           /* nanoseconds */
	uintptr_t low, high;                      /* the handler's part of its stack */
	void (*work)(struct upcall_frame *frame); /* NULL: not on a stack of its own */
	struct trm_upcall upcall;
};

struct upcall_thread {
	struct upcall_thread *next;
	uint32_t tid;     /* 0: free */
	uint32_t armed;   /* its sources: a bit each */
	uint32_t reading; /* a handler looks at rings */
	uint64_t made;    /* upcalls */
	uint64_t ended;   /* when the last one did; nanoseconds */
	uint64_t born;    /* upcalls.births when the sources were opened */
	struct upcall_frame *top;
	struct upcall_own own[UPCALL_SOURCES];
	struct upcall_stack stacks[TRM_UPCALL_USERS_MAX];
	struct upcall_deferred {
		void (*function)(void *data);
		void *data;
	} deferred[TRM_UPCALL_DEFERRED_MAX];
	uint32_t deferred_count;
	bool deferring;              /* some of them are being called */
	struct stack_walker *walker; /* NULL until something was deferred */
};

struct upcall_state {
	struct runtime_lock lock;
	uint32_t active; /* users */
	int32_t process; /* whose threads these are: a child of fork may find them */
	struct upcall_user users[TRM_UPCALL_USERS_MAX];
	struct upcall_source sources[UPCALL_SOURCES];
	struct upcall_thread *threads; /* never taken out, but reused */
	uint64_t births;               /* threads that were begun */
	uint64_t looked;               /* when threads were last looked for, in ns */
	uint32_t missed;               /* threads */
	uint64_t deferred, deferred_run, deferred_lost;
	const char *trouble;
};

extern struct upcall_state upcalls __attribute__((visibility("hidden")));

/* Programs hardly use it, and it has no queue that could become full. */
enum { UPCALL_SIGNAL = SIGSTKFLT };

/* Tells whether the source belongs to a user that gets upcalls now. */
static inline bool upcall_source_is_active(const struct upcall_source *source)
{
	return source->taken && upcalls.users[source->user].state == UPCALL_ACTIVE;
}

#endif
