/*
 * The library inside the program: the state that every event reads, and the clock.
 *
 * Nothing in this library may allocate from the program's heap, print, or change errno
 * while it handles an event. Locks are the library's own, and are held in slow ways only:
 * the first time that an attribute, a string, a node or a thread is seen.
 */
#ifndef TRAMMEL_RUNTIME_STORE_STATE_H
#define TRAMMEL_RUNTIME_STORE_STATE_H

#define TRM_IN_LIBRARY_
#include "trammel/annotate.h"
#include "wire/context.h"

#include <stdbool.h>
#include <sys/types.h>
#include <x86intrin.h>

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* Keeps the compiler from moving memory accesses across it: signal handlers see them in
 * order. */
#define in_order() __asm__ volatile("" ::: "memory")

/*
 * The state that every event reads. It is in a page that a child of fork finds empty
 * (MADV_WIPEONFORK): a child that was made by a raw system call must not write into its
 * parent's spool.
 */
struct runtime_state {
	uint32_t recording; /* events go into trees; 0 in a new child */
	uint32_t tracing;   /* and into the threads' event blocks */
	uint32_t tsc;       /* ticks are the processor's; else nanoseconds */
	uint32_t untimed;   /* times are not wanted: ticks are 0 (tsc is 0, too) */
	uint32_t watching;  /* enum runtime_watchers: that see events, too */
	uint32_t idle; /* nothing counts, times or watches: only open regions are noted */
	uint32_t phases; /* some thread counts apart what it does in each region */
	uint32_t usual;  /* recording, by the processor's ticks, and without channels */
};

enum runtime_watchers {
	RUNTIME_TRACES = 1,   /* the trace in the spool */
	RUNTIME_CHANNELS = 2, /* channels that measure */
	RUNTIME_KEEPS = 4,    /* values of the moment can be asked for */
	RUNTIME_TOLD = 8,     /* a tracer that hears of regions: events/told.h */
};

extern struct runtime_state *runtime_state __attribute__((visibility("hidden")));

#define runtime_local _Thread_local __attribute__((tls_model("initial-exec")))

/* The thread's record, NULL before its first event; in a new child of fork the parent's.
 */
extern runtime_local struct context_thread *runtime_self;

/* Set while the thread is inside the library. Events of signal handlers are lost then,
 * since they interrupt unfinished work. A child of fork has its own. */
extern runtime_local uint32_t runtime_busy;

/* Reads the monotonic clock, in nanoseconds. */
uint64_t runtime_clock_ns(void);

/* Returns ticks where they are not the processor's: nanoseconds, or 0 if times are not
 * wanted. */
uint64_t runtime_other_ticks(void);

/* Returns the time in ticks: the processor's, nanoseconds, or 0 if times are not wanted.
 * */
static inline uint64_t runtime_ticks(void)
{
	return likely(runtime_state->tsc) ? __rdtsc() : runtime_other_ticks();
}

/* Makes the state, in which nothing is recorded yet; returns false if there is no
 * memory. */
bool state_make(void);

/* Ends recording and drops the state. */
void state_drop(void);

/* Tells whether there is a state, though nothing may be recorded. */
bool state_exists(void);

/* Sets the watchers that see events from now on (enum runtime_watchers), and whether
 * they want times. */
void state_set_watchers(uint32_t watchers, bool timed);

/* Begins to put events into trees. */
void state_begin_recording(void);

/* Tells whether ticks are the processor's where times are wanted. */
bool state_has_steady_ticks(void);

/* Reads both clocks. */
struct context_moment state_moment(void);

/* Returns nanoseconds per tick, from both clocks since `begin`. */
double state_tick_ns(const struct context_moment *begin);

#endif
