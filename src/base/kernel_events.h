/* Events that perf_event_open(2) has everywhere, by the names that users say. */
#ifndef TRAMMEL_BASE_KERNEL_EVENTS_H
#define TRAMMEL_BASE_KERNEL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_event {
	const char *name, *papi; /* papi: what PAPI calls it; NULL: nothing */
	uint32_t type;           /* PERF_TYPE_... */
	uint64_t config;
	bool is_clock;  /* counts nanoseconds */
	bool in_kernel; /* it happens there alone */
};

/* Finds an event by one of its names; NULL: it is none of these. */
const struct kernel_event *kernel_event_find(const char *name);

/* Returns why perf_event_open(2) refused an event of `type` (PERF_TYPE_...) with `error`
 * (of errno), for errors that tell; NULL for others. */
const char *kernel_event_refused(uint32_t type, int error);

/* Returns the event's name at `index`, from 0; NULL behind the last. */
const char *kernel_event_name(size_t index);

#endif
