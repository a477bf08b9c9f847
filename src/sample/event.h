/* What samples are taken by: events of the processor and of the kernel, by name. */
#ifndef TRAMMEL_SAMPLE_EVENT_H
#define TRAMMEL_SAMPLE_EVENT_H

#include "base/error.h"
#include "base/vector.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	SAMPLE_EVENTS_MAX = 16,
	SAMPLE_FREQUENCY = 1000, /* samples a second, unless another rate is asked for */
};

/* How often a sample is taken. */
struct sample_rate {
	uint64_t frequency; /* samples per second of a thread's CPU time */
	uint64_t period;    /* events from one sample to the next; 0: by the frequency */
	bool callpath;      /* with the calls that led there */
	bool kernel;        /* of the kernel's code, too, where that is permitted */
	bool branches;      /* with the last branches, where the processor notes them */
	bool system;        /* of all processes: but not of processors that idle */
};

struct sample_event {
	char *name;
	struct perf_event_attr attributes;
	bool is_clock;   /* it counts nanoseconds */
	bool in_kernel;  /* it happens there alone */
	uint64_t period; /* that was asked for; 0: the kernel finds it by frequency */
};

struct sample_events VECTOR(struct sample_event);

/* What samples of some events have beside that of all: bits of sample_type. */
#define SAMPLE_EXTRAS                                                                    \
	((uint64_t)(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT |   \
		    PERF_SAMPLE_DATA_SRC))

/* Finds the events of a list that is separated by commas, and completes their attributes
 * for samples at a rate. Error (TRM_ERROR_USAGE): a name that nobody knows, or too many.
 * On success the caller deinits the events. */
struct trm_error *sample_events_init(const char *list, const struct sample_rate *rate,
				     struct sample_events *ret_events);
void sample_events_deinit(struct sample_events *events);

#endif
