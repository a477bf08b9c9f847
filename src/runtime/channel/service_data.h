/* Data of single services that lies in channels, and in what threads have in them. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_SERVICE_DATA_H
#define TRAMMEL_RUNTIME_CHANNEL_SERVICE_DATA_H

#include <stdbool.h>
#include <stdint.h>

struct context_node;
struct filter;
struct noted_regions;
struct open_loop;

/* Which loops loop_monitor looks at, and when. */
struct loop_watch {
	uint64_t iterations;   /* between snapshots; 0: any number */
	uint64_t ns;           /* the same in time */
	struct filter *wanted; /* NULL: all loops */
};

/* Data of single services that belongs to the channel. */
struct channel_service_data {
	bool inclusive; /* timer: the time from begin to end, too */
	struct trace_settings {
		uint64_t limit; /* bytes a thread; 0: any number */
		bool drops_oldest, flushes;
	} trace;
	uint64_t log_us;         /* textlog: shorter regions are not said */
	struct loop_watch loops; /* loop_monitor */
	uint64_t regions_ns;     /* region_monitor: what is long */
	uint64_t series;         /* timeseries_profile: the next snapshot's number */
	double series_second;    /* timeseries: when the last one was, since 1970 */
	struct event_counts {
		uint64_t begins, ends, sets, snapshots, threads;
		bool left; /* a thread's: they were added up */
	} counts;          /* statistics: of threads that ended */
};

/* The loop that loop_monitor looks at in a thread. */
struct watched_loop {
	struct context_node *loop; /* NULL: none */
	bool passes;               /* a context of it is one iteration */
	bool between;              /* and none is open */
	uint64_t left;             /* ticks: when the last one ended */
	uint64_t iterations;       /* since the last snapshot */
	uint64_t first;            /* of these: its number */
	uint64_t taken, wait;      /* ticks of that snapshot; between two */
};

/* What region_monitor knows of a thread. */
struct watched_regions {
	struct noted_regions *noted;         /* NULL: none yet */
	const struct context_node *measured; /* NULL: none is */
	uint64_t wait;                       /* ticks that are long */
};

/* Of loop_statistics: the loops that are open in a thread, the innermost one last. */
struct open_loops {
	struct open_loop *items;
	uint32_t count, room;
};

#endif
