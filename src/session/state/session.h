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
#include "control/maps.h"
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

/* Thread at its first stop that has not been announced yet. */
struct unannounced_child {
	pid_t tid;
	uint64_t since; /* clock_now_ns() */
};

struct session;
struct debug;
struct debug_calls;

/* Serves a descriptor that can be read, or whose other end is closed. Called by the
 * tracer's loop, between events of threads. */
typedef void session_serve(struct session *session, int fd, void *context);

struct session_descriptor {
	int fd; /* -1: it is not watched any more */
	session_serve *serve;
	void *context;
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
	struct VECTOR(struct session_parent *) parents; /* of processes that are gone: see
							   session/follow/unannounced.h */
	struct VECTOR(struct unannounced_child)
		unannounced; /* children not announced yet:
				see
				session/follow/unannounced.h */
	bool never_lazy;     /* see plan_at_once in modules.c */
	bool can_wait_awake; /* there is more than one processor */
	uint64_t asked;      /* clock_now_ns() of the last WIRE_HOOK_LAZY; 0: none */
	uint64_t awaited;    /* clock_now_ns() until which work is likely to come and the
				tracer stays awake for it: that takes less time than
				waking up */
	struct VECTOR(struct family *) families;
	struct VECTOR(struct image_run *) images;
	struct VECTOR(struct module_file *) files;
	struct doorbell *doorbell;
	struct VECTOR(struct session_descriptor) descriptors;
	int signals_fd;                        /* for waits for them; 0: not opened yet */
	const struct debug_calls *debug_calls; /* NULL: no debugger */
	struct debug *debug;
	struct plan_workers *plan_workers;
	struct maps maps; /* scratch */
	struct window window;
	size_t late_signals;                 /* signals of threads that were put off:
						see session/thread/fast_timers.h */
	struct poll_schedule fired_schedule; /* see session/adapt/fired.h */
	struct guardian guardian;
	const char *incomplete;     /* missing part of the profile; NULL: nothing is
				       missing */
	struct memory_use memory;   /* memory of arenas */
	struct string_table phases; /* names of phases: see session/thread/views.h */
	uint64_t warm;              /* functions that were unpatched and are not hot */
	bool forks_cost;            /* fired_costs_forks may hold for some space */
	struct poll_schedule calls_schedule; /* see session/adapt/inline_caches.h */
	struct context_parts parts;          /* parts of the contexts that programs
						record themselves */
	pid_t first;                         /* the process that run started */
	bool first_ended;
	bool saved_running;         /* the profile was saved while processes still ran */
	int first_status;           /* as waitpid has it */
	struct timespec start, end; /* of the first process; CLOCK_MONOTONIC */
	time_t start_time;
	uint64_t clock_ticks, clock_ns; /* readings of one moment: the time-stamp
					   counter and clock_now_ns(); 0: not needed
					   yet */
	uint64_t instrument_ns;         /* nanoseconds for which a program was held up */
	char *refusal;                  /* reason why the first program was not run;
					   NULL: it was */
	int tool_output;                /* descriptor for what tools print; -1: none */
	struct tool_shapes tool_shapes; /* of what tools record */
	bool tool_printed;              /* a tool printed something */
	struct values_state values;     /* see session/count/values.h */
	struct sampler *sampler;        /* NULL: no samples are taken */
	uint64_t sampled_ns;            /* clock_now_ns() of the last look at them */
	uint64_t samples_noted_ns; /* clock_now_ns() when a guardian was told of them */
	uint64_t peeks_due_ns;     /* where samples are looks at threads: of the next */
	unsigned int idle_peeks;   /* in a row that found no thread running */
	bool attached;    /* attached to a process that ran before, and is to run on
			     afterwards */
	uint64_t stop_ns; /* attached: the longest time that all its threads stood */
};

/* Returns the nanoseconds that the first process ran, or had run at the last look. */
uint64_t session_wall_ns(const struct session *session);

/* Returns the part of the run that images count now: see image_run.part. */
uint32_t session_slice(const struct session *session);

/* Notes a change that a guardian should know. */
void session_note_change(struct session *session);

#endif
