/* When the tracer looks at what a program did. */
#ifndef TRAMMEL_SESSION_STATE_SCHEDULE_H
#define TRAMMEL_SESSION_STATE_SCHEDULE_H

#include <stdint.h>

/* When the tracer looks at what the program did: see session/adapt/poll_schedule.h. Times
 * are clock_now_ns(). */
struct poll_schedule {
	uint64_t begin, next;
	uint64_t spent; /* on all looks, in ns */
};

#endif
