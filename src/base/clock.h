/* The clock of the tracer and of the measured programs. */
#ifndef TRAMMEL_BASE_CLOCK_H
#define TRAMMEL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The time in nanoseconds, by CLOCK_MONOTONIC. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
