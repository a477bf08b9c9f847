/* Schedule of the tracer's looks at a program. */
#ifndef TRAMMEL_SESSION_STATE_SCHEDULE_H
#define TRAMMEL_SESSION_STATE_SCHEDULE_H

#include <stdint.h>

/* Schedule of looks at the program: see session/adapt/poll_schedule.h. Times are
 * clock_now_ns(). */
struct poll_schedule {
	uint64_t begin, next;
	uint64_t spent; /* nanoseconds spent on all looks */
};

#endif
