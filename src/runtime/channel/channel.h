/*
 * Channels: measurement configurations, any number of them at once. A channel is a set of
 * services (channel/service.h) with settings. Events come in at channels_event(); a
 * channel that wants an event takes a snapshot: measuring services write their metrics,
 * and the sinks among the services (aggregate, trace, textlog) keep them.
 *
 * All data that an event changes belongs to its thread: struct channel_thread. Memory is
 * taken when a thread, or a part of its tree, is seen for the first time.
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_CHANNEL_H
#define TRAMMEL_RUNTIME_CHANNEL_CHANNEL_H
#include "publish/publish.h"
#include "runtime/channel/service.h"
#include "runtime/channel/service_data.h"
#include "runtime/channel/settings.h"
#include "runtime/events/hooks.h"
#include "runtime/store/lock.h"
#include "runtime/store/state.h"
#include "wire/context.h"
#include "wire/context_channel.h"

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
	enum service_metric_kind kind; /* copy of metric->kind, near what events read */
	uint16_t type;
	bool traced; /* each snapshot of a trace has it */
};

/* A value by which contexts are kept apart, beside the tree. */
struct channel_key {
	const char *name;   /* of a value of the moment */
	uint32_t attribute; /* 0: no attribute has the name yet */
	int metric;         /* metric that has its value; -1: a value of the moment */
};

struct channel_sampler {
	void (*sample)(struct channel_thread *own, const struct runtime_event *event,
		       uint64_t *ret_values);
	uint32_t first; /* metric */
};

/* Services that see calls of the C library. */
enum channel_calls { CHANNEL_CALLS_IO = 1, CHANNEL_CALLS_SYSTEM = 2 };

/* Times of the channel. */
struct channel_clock {
	uint64_t started;            /* ticks */
	struct context_moment begin; /* both clocks, when the channel was made */
	double tick_ns; /* as of `tick_elapsed_ns` after that: see channel_tick_ns */
	uint64_t tick_elapsed_ns;
};

/* The channel's use of MPI. */
struct channel_mpi {
	bool calls;                 /* calls are seen, as far as the filter passes them */
	bool messages;              /* messages are seen */
	bool patterns;              /* and counted by region of communication */
	bool across;                /* ranks write together */
	bool parts;                 /* they write when they part */
	bool parted;                /* they did */
	struct filter *call_filter; /* NULL: all calls */
};

/* Values that only the channel has, the innermost last. */
struct channel_own_values {
	struct channel_value {
		uint32_t attribute;
		uint64_t bits;
	} * held; /* NULL: none */
	uint32_t held_count;
};

/* Number of flushes, and state of the present one. */
struct channel_flush {
	uint64_t flushes;
	struct publish_output outputs[CHANNEL_OUTPUTS_MAX];
	uint32_t output_count;
	const char *redirected; /* output goes to this file; NULL: to the usual place */
	const char *replaced;   /* records are those of this file; NULL: its own */
};

struct channel {
	char name[CONTEXT_CHANNEL_NAME];
	uint32_t number; /* its place, which a later channel may have again */
	uint32_t id;     /* of this channel alone, in the spool */
	bool used, active, left_inactive;
	bool stopped; /* from outside: it does not measure even if active */
	bool scoped;  /* only threads that activate it measure */
	struct settings settings;

	const struct service *services[CHANNEL_SERVICES_MAX];
	uint32_t service_count;
	/* Fields that every event reads. */
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
	uint32_t row_shift; /* a block of the spool has 1 << row_shift rows */
	struct channel_key keys[CHANNEL_KEYS_MAX];
	uint32_t key_count;
	uint32_t level;           /* attributes of a finer level are ignored */
	bool triggers;            /* begin, end and set make snapshots */
	uint32_t says;            /* enum context_channel_says */
	bool timed;               /* events are stamped */
	bool traces, sums;        /* it has the service trace; aggregate */
	bool sums_events;         /* contexts are kept apart by kinds of events, too */
	uint32_t calls_seen;      /* enum channel_calls: it has these services */
	bool runs_user_code;      /* its only sink runs code of the program */
	uint32_t generation;      /* incremented by each start and each clearing */
	uint32_t early;           /* generation whose trace begins with earlier values */
	uint32_t clearing;        /* incremented by each clearing */
	struct filter *filter;    /* NULL: every region */
	struct triggers *trigger; /* NULL: every attribute */
	bool given;               /* made by the environment, not by the program */
	struct call_paths *paths; /* NULL: contexts have no paths; channel/paths.h */
	uint32_t lookups;         /* enum context_look_up, at a flush */
	struct channel_clock clock;
	struct channel_mpi mpi;
	struct channel_service_data service_data;

	struct runtime_lock lock; /* protects the fields below */
	struct channel_own_values values;
	struct channel *also;           /* measures and is written with it; or NULL */
	struct context_channel *record; /* in the spool; NULL: not yet */
	struct channel_thread *threads;
	struct channel_thread *ended; /* sums of threads whose nodes were freed */
	struct channel_flush flush;
};

/* Aggregated rows, by number of the node; in chunks, so that rows never move. */
struct rows {
	uint64_t ***chunks;          /* ROWS_CHUNKS; NULL until the first one */
	uint32_t most;               /* a number above those of all rows */
	uint32_t shift, mask, width; /* of the channel, near what events read */
};

struct channel_thread {
	struct channel *channel;
	struct context_thread *thread; /* NULL: only `rows`, of other threads */
	struct channel_thread *next;
	uint32_t tid;
	uint32_t generation; /* of the channel, when `last` was taken */
	uint32_t clearing;   /* of the channel; if it differs, the data here is dropped */
	struct rows rows;
	/* The trace's blocks in the spool, the oldest first; each is linked to the next.
	 * */
	struct context_block *first_block, *last_block;
	struct context_block *unflushed; /* the first one that was not released */
	uint64_t unflushed_count;
	uint64_t traced, dropped; /* events */
	uint64_t blocks, order;   /* of the trace; the number of the last one */
	struct watched_loop watched;
	struct watched_regions regions;
	struct open_loops loops;
	struct event_counts counts;        /* of statistics */
	bool told;                         /* of debug: the thread was announced */
	struct comm_regions *comm_regions; /* of mpi_pattern.c; NULL: none yet */
	uint64_t stamp;                    /* of the last snapshot, ticks */
	uint64_t added; /* of the last snapshot to which values were added */
	struct context_node *counted; /* node whose row counts, if sums_events */
	uint64_t *values;             /* by metric: of this snapshot */
	uint64_t last[CHANNEL_METRICS_MAX];
	uint64_t space[CHANNEL_METRICS_MAX];
	struct path_memory *path_memory; /* of the last paths; NULL: none yet */
	uint64_t samples; /* samples taken, where events make no snapshots */
	uint64_t sampled; /* samples written with their call paths */
};

/* Makes a channel of the services of its settings ("event,timer,aggregate"); services
 * that cannot be used are reported on standard error. Returns NULL if there is no room.
 * The channel is not active. */
struct channel *channel_create(const char *name, const struct settings *settings);
void channel_destroy(struct channel *channel);
/* Returns the channel with this number; NULL if there is none. */
struct channel *channel_at(uint32_t number);
void channel_activate(struct channel *channel, bool active);
/* Activates or deactivates the channel for the calling thread alone. */
void channel_activate_thread(struct channel *channel, bool active);
/* Writes the channel's records to the places that its report and recorder services name.
 * */
void channel_flush(struct channel *channel);
/* Appends the channel's records to the file `path`; NULL: writes to the usual place. */
void channel_flush_to(struct channel *channel, const char *path);
/* Writes the output of the channel's services, made from the records in the file `path`
 * in place of its own. */
void channel_flush_of(struct channel *channel, const char *path);
/* Writes a query over the channel's records to the end of the file `path`, without the
 * output of its services. */
void channel_report(struct channel *channel, const char *query, const char *path);
/* Writes the query `across` over the results of `query` in all ranks, one of which
 * writes. */
void channel_report_across(struct channel *channel, const char *query, const char *across,
			   const char *path);
/* Writes the joint output of the ranks, which are about to part, unless the program has
 * written it. */
void channels_part(void);
/* Drops all that the channel measured. */
void channel_clear(struct channel *channel);

/* Makes threads keep values of the moment, since the program asks for its state. */
void channels_keep(void);
/* Adds an output of the present flush; for services that write. Its texts must stay
 * until the end of the flush. */
void channel_output_add(struct channel *channel, const struct publish_output *output);
/* Tells whether a query in its settings is written as for LLNL's Caliper. */
bool channel_is_caliper(const struct channel *channel);
/* Tells whether the channel measures now. */
static inline bool channel_measures(const struct channel *channel)
{
	return channel->active && !channel->stopped;
}
/* Tells whether this process is a child of the one that made the channels. */
bool channel_is_child(void);

/* Takes a run of `run` blocks of the spool for the thread's data in the channel; returns
 * NULL if there is none. */
struct context_block *channel_block(const struct channel_thread *own,
				    enum context_block_kind kind, uint32_t run);
/* Tells whether the channel has the service of this name. */
bool channel_has(const struct channel *channel, const char *service);
/* Returns the number of the metric of this name; -1 if there is none. */
int channel_metric(const struct channel *channel, const char *name);
/* Writes the description of the channel to the spool; returns false if there is no room.
 * */
bool channel_describe(struct channel *channel);

/* Returns nanoseconds per tick. Repeated calls return the same value: it is computed
 * anew when twice as much time has passed since the channel's begin. */
double channel_tick_ns(struct channel *channel);

/* Updates the watchers after a channel began or ceased to measure. `starting`: measures
 * from now on; NULL: no channel starts. */
void channels_watch(struct channel *starting);

/* Resets the channels in a child of fork, before it records. */
void channels_resume(void);

/* Ends all channels, at the end of the process. */
void channels_finish(void);

#endif
