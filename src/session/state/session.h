/*
 * A session: one run measured from its first process to its last. This header holds the
 * nouns that the files of this folder share; session_run() in run.h is the way in.
 *
 * All but the doorbell's and the planners' work is done by one thread, which is the
 * tracer.
 */
#ifndef TRAMMEL_SESSION_STATE_SESSION_H
#define TRAMMEL_SESSION_STATE_SESSION_H

#include "base/table.h"
#include "base/vector.h"
#include "context/parts.h"
#include "control/arena.h"
#include "control/event.h"
#include "control/inject.h"
#include "control/remote.h"
#include "session/cache/module_file.h"
#include "session/options/collector.h"
#include "session/options/options.h"
#include "session/state/guardian_state.h"
#include "session/state/image_run.h"
#include "session/state/memory.h"
#include "session/state/module.h"
#include "session/state/schedule.h"
#include "session/state/space.h"
#include "session/state/thread.h"
#include "session/state/window_state.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* A thread at its first stop, of which nobody has told yet. */
struct unannounced_child {
	pid_t tid;
	uint64_t since; /* clock_now_ns() */
};

struct session {
	const struct session_options *options;
	struct cache *cache;
	struct event_queue queue;
	struct table threads;      /* tid -> struct thread *; 0: gone */
	struct table processes;    /* pid -> struct process *; 0: gone */
	unsigned int thread_count; /* traced */
	struct VECTOR(struct thread *) all_threads;
	struct VECTOR(struct process *) all_processes;
	struct VECTOR(struct session_parent *)
		parents; /* gone: see session/follow/unannounced.h */
	struct VECTOR(struct unannounced_child) unannounced; /* the same */
	bool never_lazy;     /* see plan_at_once in modules.c */
	bool can_wait_awake; /* there is more than one processor */
	uint64_t asked;      /* clock_now_ns() of the last WIRE_HOOK_LAZY; 0: none */
	uint64_t awaited; /* until then something is likely to come, and the tracer stays
			     awake for it: that takes less long than to wake up */
	struct VECTOR(struct family *) families;
	struct VECTOR(struct image_run *) images;
	struct VECTOR(struct module_file *) files;
	struct doorbell *doorbell;
	struct plan_workers *plan_workers;
	struct maps maps; /* scratch */
	struct window window;
	size_t late_signals;                 /* of threads, that were put off: see
					      * session/thread/fast_timers.h
					      */
	struct poll_schedule fired_schedule; /* see session/adapt/fired.h */
	struct guardian guardian;
	const char *incomplete;   /* what the profile lacks; NULL: nothing */
	struct memory_use memory; /* that arenas take */
	uint64_t warm;            /* functions that were unpatched and are not hot */
	bool forks_cost;          /* some space may be one of fired_costs_forks */
	struct poll_schedule calls_schedule; /* see session/adapt/inline_caches.h */
	struct context_parts parts;          /* of what programs say themselves */
	pid_t first;                         /* the process that run started */
	bool first_ended;
	bool saved_running;         /* the profile was saved while processes still ran */
	int first_status;           /* as waitpid has it */
	struct timespec start, end; /* of the first process; CLOCK_MONOTONIC */
	time_t start_time;
	uint64_t clock_ticks, clock_ns; /* of one moment: the time-stamp counter and
					   clock_now_ns(); 0: not needed yet */
	uint64_t instrument_ns;         /* in which a program was held up */
	char *refusal;                  /* why the first program was not run; NULL */
	bool attached;    /* to a process that ran before, and is to run on after us */
	uint64_t stop_ns; /* attached: the longest time that all its threads stood */
};

/* How long the first process ran, or has run when that was last looked at. */
uint64_t session_wall_ns(const struct session *session);

/* Returns the part of the run that images count now: see image_run.part. */
uint32_t session_slice(const struct session *session);

/* Something changed that a guardian should know. */
void session_note_change(struct session *session);

#endif
