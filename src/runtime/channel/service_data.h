/* Data of single services that lies in channels, and in the records of threads in them.
 * */
#ifndef TRAMMEL_RUNTIME_CHANNEL_SERVICE_DATA_H
#define TRAMMEL_RUNTIME_CHANNEL_SERVICE_DATA_H

#include <stdbool.h>
#include <stdint.h>

struct context_node;
struct filter;
struct noted_regions;
struct open_loop;

/* Loops that loop_monitor watches, and the intervals of its snapshots. */
struct loop_watch {
	uint64_t iterations;   /* between snapshots; 0: any number */
	uint64_t ns;           /* ns between snapshots; 0: any time */
	struct filter *wanted; /* NULL: all loops */
};

/* Data of single services that belongs to the channel. */
struct channel_service_data {
	bool inclusive; /* timer: the time from begin to end, too */
	struct trace_settings {
		uint64_t limit; /* bytes a thread; 0: any number */
		bool drops_oldest, flushes;
	} trace;
	uint64_t log_us;         /* textlog: us; shorter regions are not logged */
	struct loop_watch loops; /* loop_monitor */
	uint64_t regions_ns;  /* region_monitor: ns; regions that last longer are long */
	uint64_t series;      /* timeseries_profile: the next snapshot's number */
	double series_second; /* timeseries: last snapshot, s since 1970 */
	struct event_counts {
		uint64_t begins, ends, sets, snapshots, threads;
		bool left; /* in a thread: they were added to the channel's */
	} counts;          /* statistics: of threads that ended */
};

/* The loop of a thread that loop_monitor watches. */
struct watched_loop {
	struct context_node *loop; /* NULL: none */
	bool passes;               /* a context of it is one iteration */
	bool between;              /* and no iteration is open */
	uint64_t left;             /* ticks: end of the last iteration */
	uint64_t iterations;       /* since the last snapshot */
	uint64_t first;            /* number of the first of them */
	uint64_t taken, wait; /* ticks: time of the last snapshot; least between two */
};

/* Data of region_monitor about a thread. */
struct watched_regions {
	struct noted_regions *noted;         /* NULL: none noted yet */
	const struct context_node *measured; /* NULL: no region is measured */
	uint64_t wait;                       /* ticks from which on a region is long */
};

/* The loops that are open in a thread, the innermost one last; for loop_statistics. */
struct open_loops {
	struct open_loop *items;
	uint32_t count, room;
};

#endif
