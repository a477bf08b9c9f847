/*
 * Channels: measurement configurations, any number of them at once. A channel is a set of
 * services (service/service.h) with settings. Events come in at channels_event(); a
 * channel that wants one takes a snapshot: measuring services say what they count, and
 * the sinks among the services (aggregate, trace, textlog) keep it.
 *
 * What an event touches belongs to its thread: struct channel_thread. Memory is taken
 * when a thread, or a part of its tree, is seen for the first time.
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_CHANNEL_H
#define TRAMMEL_RUNTIME_CHANNEL_CHANNEL_H

#include "runtime/channel/service.h"
#include "runtime/channel/service_data.h"
#include "runtime/channel/settings.h"
#include "runtime/events/hooks.h"
#include "runtime/store/lock.h"
#include "runtime/store/state.h"

#include "publish/publish.h"
#include "wire/context.h"

struct call_paths;
struct comm_regions;
struct path_memory;
struct triggers;

enum {
	CHANNELS_MAX = 16,
	CHANNEL_SERVICES_MAX = 24,
	CHANNEL_METRICS_MAX = CONTEXT_METRICS_MAX,
	CHANNEL_KEYS_MAX = 8,
	CHANNEL_LOOKERS_MAX = CHANNEL_SERVICES_MAX,
	CHANNEL_OUTPUTS_MAX = 8,
	CHANNEL_CHILD = 1 << 20, /* between the ids of a process and its child's */
};

/* A metric of a service in a channel. */
struct channel_metric {
	const struct service_metric *metric;
	enum service_metric_kind kind; /* the same, where events look */
	uint16_t type;
	bool traced; /* each snapshot of a trace has it */
};

/* By what contexts are told apart, beside the tree. */
struct channel_key {
	const char *name;   /* of a value of the moment */
	uint32_t attribute; /* 0: there is none of the name yet */
	int metric;         /* that has its value; -1: a value of the moment */
};

struct channel_sampler {
	void (*sample)(struct channel_thread *own, const struct runtime_event *event,
		       uint64_t *ret_values);
	uint32_t first; /* metric */
};

/* Services that see calls of the C library. */
enum channel_calls { CHANNEL_CALLS_IO = 1, CHANNEL_CALLS_SYSTEM = 2 };

/* Its times. */
struct channel_clock {
	uint64_t started;            /* ticks */
	struct context_moment begin; /* both clocks, when the channel was made */
	double tick_ns; /* as of `tick_elapsed_ns` after that: see channel_tick_ns */
	uint64_t tick_elapsed_ns;
};

/* What it does with MPI. */
struct channel_mpi {
	bool calls;                 /* calls are seen, as far as the filter passes them */
	bool messages;              /* messages are seen */
	bool patterns;              /* and what they are in regions of communication */
	bool across;                /* ranks write together */
	bool parts;                 /* they write when they part */
	bool parted;                /* and did */
	struct filter *call_filter; /* NULL: all calls */
};

/* Values that the channel alone has, the innermost last. */
struct channel_own_values {
	struct channel_value {
		uint32_t attribute;
		uint64_t bits;
	} * held; /* NULL: none */
	uint32_t held_count;
};

/* Its flushes, and the one under way. */
struct channel_flush {
	uint64_t flushes;
	struct publish_output outputs[CHANNEL_OUTPUTS_MAX];
	uint32_t output_count;
	const char *redirected; /* to this file; NULL: it is not */
	const char *replaced;   /* by records of this file; NULL: they are not */
};

struct channel {
	char name[CONTEXT_CHANNEL_NAME];
	uint32_t number; /* its place; another one may have it later */
	uint32_t id;     /* of this one alone: in the spool */
	bool used, active, left_inactive;
	bool stopped; /* from outside: it rests while it is active, too */
	bool scoped;  /* only threads measure that say so */
	struct settings settings;

	const struct service *services[CHANNEL_SERVICES_MAX];
	uint32_t service_count;
	/* What an event looks at. */
	struct channel_sampler samplers[CHANNEL_SERVICES_MAX];
	uint32_t sampler_count;
	void (*sinks[CHANNEL_SERVICES_MAX])(struct channel_thread *own,
					    const struct runtime_event *event);
	uint32_t sink_count;
	void (*lookers[CHANNEL_LOOKERS_MAX])(struct channel_thread *own,
					     const struct runtime_event *event);
	uint32_t looker_count;
	struct channel_metric metrics[CHANNEL_METRICS_MAX];
	uint32_t metric_count;
	uint32_t row_width; /* words of an aggregated row */
	uint32_t row_shift; /* a block of the spool has 1 << so many */
	struct channel_key keys[CHANNEL_KEYS_MAX];
	uint32_t key_count;
	uint32_t level;        /* attributes of a finer one are not looked at */
	bool triggers;         /* begin, end and set make snapshots */
	uint32_t says;         /* enum context_channel_says */
	bool timed;            /* events are stamped */
	bool traces, sums;     /* it has the service trace, aggregate */
	bool sums_events;      /* contexts are told apart by what happens in them, too */
	uint32_t calls_seen;   /* enum channel_calls: it has these services */
	bool runs_user_code;   /* its only sink runs code of the program */
	uint32_t generation;   /* goes up with each start and each clearing */
	uint32_t early;        /* the generation whose trace has what was set before it */
	uint32_t clearing;     /* goes up with each clearing */
	struct filter *filter; /* NULL: every region */
	struct triggers *trigger; /* NULL: every attribute */
	bool given;               /* by the environment, not by the program */
	struct call_paths *paths; /* NULL: contexts have none; channel/paths.h */
	uint32_t lookups;         /* enum context_look_up, at a flush */
	struct channel_clock clock;
	struct channel_mpi mpi;
	struct channel_service_data service_data;

	struct runtime_lock lock; /* of what follows */
	struct channel_own_values values;
	struct channel *also;           /* measures and is written with it; NULL: none */
	struct context_channel *record; /* in the spool; NULL: not yet */
	struct channel_thread *threads;
	struct channel_thread *ended; /* sums of threads whose nodes are gone */
	struct channel_flush flush;
};

/* Aggregated rows, by number of the node; in chunks, so that none ever moves. */
struct rows {
	uint64_t ***chunks;          /* ROWS_CHUNKS; NULL until the first one */
	uint32_t most;               /* a number above all that are there */
	uint32_t shift, mask, width; /* of the channel, where events look */
};

struct channel_thread {
	struct channel *channel;
	struct context_thread *thread; /* NULL: only what is in `rows` of others */
	struct channel_thread *next;
	uint32_t tid;
	uint32_t generation; /* of the channel, when `last` was taken */
	uint32_t clearing;   /* of the channel: else what is here is forgotten */
	struct rows rows;
	/* The trace's blocks in the spool, the oldest first: each is a link to the next.
	 */
	struct context_block *first_block, *last_block;
	struct context_block *unflushed; /* the first one that was not released */
	uint64_t unflushed_count;
	uint64_t traced, dropped; /* events */
	uint64_t blocks, order;   /* of the trace; the number of the last one */
	struct watched_loop watched;
	struct watched_regions regions;
	struct open_loops loops;
	struct event_counts counts;        /* of statistics */
	bool told;                         /* of debug: that the thread is there */
	struct comm_regions *comm_regions; /* of mpi_pattern.c; NULL: none yet */
	uint64_t stamp;                    /* of the last snapshot, ticks */
	uint64_t added;                    /* of the last one that values were added to */
	struct context_node *counted;      /* where it counts, if sums_events */
	uint64_t *values;                  /* by metric: of this snapshot */
	uint64_t last[CHANNEL_METRICS_MAX];
	uint64_t space[CHANNEL_METRICS_MAX];
	struct path_memory *path_memory; /* of the last paths; NULL: none yet */
	uint64_t samples; /* strikes that were taken, where no events make snapshots */
	uint64_t sampled; /* strikes that were said with their call paths */
};

/* A channel of these services ("event,timer,aggregate") and settings; what cannot be had
 * is said on standard error. NULL: there is no room. It is not active. */
struct channel *channel_create(const char *name, const struct settings *settings);
void channel_destroy(struct channel *channel);
/* NULL: no such channel. */
struct channel *channel_at(uint32_t number);
void channel_activate(struct channel *channel, bool active);
/* The same for the calling thread alone. */
void channel_activate_thread(struct channel *channel, bool active);
/* Writes what the channel has, to where its report and recorder services say. */
void channel_flush(struct channel *channel);
/* The same to a file, to which it is added; NULL: to the usual place. */
void channel_flush_to(struct channel *channel, const char *path);
/* Writes what services would, of the records in a file in place of its own. */
void channel_flush_of(struct channel *channel, const char *path);
/* A query over what it has, to the end of a file, and no output of its services. */
void channel_report(struct channel *channel, const char *query, const char *path);
/* The same with a query over what that makes in all ranks, one of which writes. */
void channel_report_across(struct channel *channel, const char *query, const char *across,
			   const char *path);
/* The ranks part: writes what they have to write together, unless the program did. */
void channels_part(void);
/* Forgets what was measured. */
void channel_clear(struct channel *channel);

/* The program asks for its state: values of the moment are kept. */
void channels_keep(void);
/* For services that write, at a flush. The texts stay until its end. */
void channel_output_add(struct channel *channel, const struct publish_output *output);
/* Whether a query of its settings is as LLNL's Caliper has them. */
bool channel_is_caliper(const struct channel *channel);
/* Whether it measures now. */
static inline bool channel_measures(const struct channel *channel)
{
	return channel->active && !channel->stopped;
}
/* This process is a child of the one that made the channels. */
bool channel_is_child(void);

/* A block of the spool for what a thread has in the channel; NULL: there is none. */
struct context_block *channel_block(const struct channel_thread *own,
				    enum context_block_kind kind, uint32_t run);
/* A service of the channel, by name; false: there is none. */
bool channel_has(const struct channel *channel, const char *service);
/* The number of a metric of this name; -1: there is none. */
int channel_metric(const struct channel *channel, const char *name);
/* The spool is to say what the channel is. False: there is no room. */
bool channel_describe(struct channel *channel);

/* Nanoseconds a tick. Who asks for times again soon is told the same ones: it is found
 * anew when twice as much time has passed since the channel's begin. */
double channel_tick_ns(struct channel *channel);

/* What measures has changed. `starting` measures from now on; NULL: none does. */
void channels_watch(struct channel *starting);

/* In a child of fork, before it records. */
void channels_resume(void);

/* At the end of the process. */
void channels_finish(void);

#endif
