/* What the programs of these tests share: what must hold, and time that is computed away.
 */
#ifndef TRAMMEL_TESTS_UPCALLS_MUST_H
#define TRAMMEL_TESTS_UPCALLS_MUST_H

#include <trammel/upcall.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define must(condition)                                                                  \
	do {                                                                             \
		if (!(condition)) {                                                      \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,       \
				#condition);                                             \
			_Exit(1);                                                        \
		}                                                                        \
	} while (0)

enum { FAST_NS = 100000, PATIENCE_SECONDS = 30 };

/* Computes, without system calls for the most part, until the number is reached. */
static __attribute__((noinline, unused)) void
compute_until(const volatile uint64_t *number, uint64_t reached)
{
	time_t end = time(NULL) + PATIENCE_SECONDS;

	while (*number < reached) {
		for (volatile int i = 0; i < 200000 && *number < reached; i++)
			;
		must(time(NULL) < end);
	}
}

/* Computes for about so many milliseconds of processor time. */
static __attribute__((noinline, unused)) void compute_ms(long ms)
{
	struct timespec now;
	long begin, so_far;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	begin = now.tv_sec * 1000 + now.tv_nsec / 1000000;
	do {
		for (volatile int i = 0; i < 50000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		so_far = now.tv_sec * 1000 + now.tv_nsec / 1000000 - begin;
	} while (so_far < ms);
}

/* Measured programs are stopped at each signal, and take longer periods. */
static inline uint64_t period_ns(void)
{
	const char *told = getenv("UPCALLS_PERIOD_NS");

	return told ? strtoul(told, NULL, 10) : (uint64_t)FAST_NS;
}

static inline struct trm_upcall_options usual_options(trm_upcall_handler *handler)
{
	static struct trm_upcall_event fast = {"cpu-clock", 0};
	struct trm_upcall_options options;

	fast.period = period_ns();
	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.handler = handler;
	options.events = &fast;
	options.event_count = 1;
	return options;
}

static inline trm_upcall_id enable(const struct trm_upcall_options *options)
{
	trm_upcall_id id = 0;
	const char *reason = trm_upcall_enable(options, &id);

	if (reason) {
		fprintf(stderr, "not enabled: %s\n", reason);
		exit(77);
	}
	must(id);
	return id;
}

static inline struct trm_upcall_statistics statistics_of(trm_upcall_id id)
{
	struct trm_upcall_statistics statistics;

	memset(&statistics, 0, sizeof(statistics));
	statistics.size = sizeof(statistics);
	must(trm_upcall_statistics(id, &statistics));
	return statistics;
}

#endif
