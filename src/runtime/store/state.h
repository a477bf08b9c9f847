/*
 * The library inside the program: what every event looks at, and the clock.
 *
 * Nothing in this library may allocate from the program's heap, print, or change errno on
 * the way of an event. Locks are ours alone, and are held in slow ways only: the first
 * time that an attribute, a string, a node or a thread is seen.
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

/* Nothing is moved over this by the compiler: what a signal handler sees has order. */
#define in_order() __asm__ volatile("" ::: "memory")

/*
 * What every event looks at. It is in a page that a child of fork finds empty
 * (MADV_WIPEONFORK): one that was made by a raw system call must not write into its
 * parent's spool.
 */
struct runtime_state {
	uint32_t recording; /* events go into trees; 0 in a new child */
	uint32_t tracing;   /* and into the threads' event blocks */
	uint32_t tsc;       /* ticks are the processor's; else nanoseconds */
	uint32_t untimed;   /* nobody wants times: ticks are 0 (tsc is 0, too) */
	uint32_t watching;  /* enum runtime_watchers: who else sees events */
	uint32_t idle;      /* nobody counts, times or sees: only what is open is noted */
	uint32_t usual; /* recording, by the processor's ticks, and without channels */
};

enum runtime_watchers {
	RUNTIME_TRACES = 1,   /* the trace in the spool */
	RUNTIME_CHANNELS = 2, /* channels that measure */
	RUNTIME_KEEPS = 4,    /* values of the moment can be asked for */
};

extern struct runtime_state *runtime_state __attribute__((visibility("hidden")));

#define runtime_local _Thread_local __attribute__((tls_model("initial-exec")))

/* The thread's record, NULL before its first event; in a new child of fork the parent's.
 */
extern runtime_local struct context_thread *runtime_self;

/* The thread is inside the library. What a signal handler says then is lost: what it
 * interrupted has not been done. A child of fork has one of its own. */
extern runtime_local uint32_t runtime_busy;

/* The monotonic clock, in nanoseconds. */
uint64_t runtime_clock_ns(void);

/* Ticks where they are not the processor's: nanoseconds, or 0 if nobody wants times. */
uint64_t runtime_other_ticks(void);

static inline uint64_t runtime_ticks(void)
{
	return likely(runtime_state->tsc) ? __rdtsc() : runtime_other_ticks();
}

/* Makes the state, in which nothing is recorded yet; false: there is no memory. */
bool state_make(void);

/* Nothing is recorded, and no state is left. */
void state_drop(void);

/* Whether there is a state, though nothing may be recorded. */
bool state_exists(void);

/* Who sees events from now on (enum runtime_watchers), and whether they want times. */
void state_set_watchers(uint32_t watchers, bool timed);

/* Events go into trees from now on. */
void state_begin_recording(void);

/* Ticks that are the processor's, where times are wanted. */
bool state_has_steady_ticks(void);

/* Now, by both clocks. */
struct context_moment state_moment(void);

/* Nanoseconds a tick, as far as both clocks went since `begin`. */
double state_tick_ns(const struct context_moment *begin);

#endif
