/*
 * When regions of a program began and ended, by thread: the event records of a trace.
 */
#ifndef TRAMMEL_EXPORT_TIMELINE_H
#define TRAMMEL_EXPORT_TIMELINE_H

#include "base/error.h"
#include "base/table.h"
#include "base/vector.h"
#include "report/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* A thread with events. */
struct export_thread {
	uint64_t image, number;
	uint64_t first_ns, last_ns;
};

struct export_event {
	uint32_t thread; /* in timeline.threads */
	uint32_t name;   /* in timeline.names */
	bool opens;
	uint64_t ns; /* since the first process began; those of a thread never go back */
};

struct export_timeline {
	struct string_table names;
	struct VECTOR(struct export_thread) threads;
	/* By thread, then as they happened; what is opened is closed, the innermost
	 * first.
	 */
	struct VECTOR(struct export_event) events;
};

/* Reads the events of selected images from a profile's file. Errors: those of trm_read.
 * The caller deinits the timeline, in any case. */
struct trm_error *export_timeline_read(struct export_timeline *timeline,
				       const struct report_profile *profile,
				       const char *path);
void export_timeline_deinit(struct export_timeline *timeline);

#endif
