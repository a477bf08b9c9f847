/* Work of a known amount of processor time. */
#ifndef WORK_H
#define WORK_H

#include <time.h>

static inline double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Runs `step`, which takes about a tenth of a millisecond, for so long. */
#define WORK_FOR(seconds, step)                                                          \
	for (double end = cpu_seconds() + (seconds); cpu_seconds() < end;)               \
	step

#endif
