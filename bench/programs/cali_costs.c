/*
 * What annotating through caliper/cali.h costs: `cali_costs OPERATION COUNT` does it so
 * often and prints nanoseconds of the thread's CPU time an operation. bench/context.py
 * runs it with and without channels, and under callgrind.
 */
#include <caliper/cali.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAMES = 10000 };

static char names[NAMES][16];
static cali_id_t value, region;

static void pair(long count)
{
	for (long i = 0; i < count; i++) {
		cali_begin_region("region");
		cali_end_region("region");
	}
}

/* Pairs below some callers. */
static __attribute__((noinline)) void below(long count, int callers)
{
	if (callers)
		below(count, callers - 1);
	else
		pair(count);
	__asm__ volatile(""); /* so that the call is no jump */
}

static void deep(long count)
{
	below(count, 8);
}

/* Ten thousand siblings, in an order that no cache foresees. */
static void many(long count)
{
	for (long i = 0; i < count; i++) {
		const char *name = names[i * 7919 % NAMES];

		cali_begin_region(name);
		cali_end_region(name);
	}
}

static void set(long count)
{
	for (long i = 0; i < count; i++)
		cali_set_int(value, (int)i);
}

static void get(long count)
{
	for (long i = 0; i < count; i++)
		cali_get(region);
}

/* Work that takes as long each time; samples and signals make it longer. */
static void work(long count)
{
	uint64_t number = 1;

	for (long i = 0; i < count; i++)
		__asm__ volatile("imul $69069, %0, %0" : "+r"(number));
}

static void strike(int signal)
{
	(void)signal;
}

/* The same below a timer with a handler that does nothing, 10,000 times a second: what
 * the sampler's is held against. */
static void signals(long count)
{
	const struct itimerspec spec = {{0, 100000}, {0, 100000}}, never = {{0}, {0}};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = SIGRTMAX};
	timer_t timer;

	signal(SIGRTMAX, strike);
	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		exit(1);
	timer_settime(timer, 0, &spec, NULL);
	work(count);
	timer_settime(timer, 0, &never, NULL);
	timer_delete(timer);
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int word_count, char **words)
{
	static const struct {
		const char *name;
		void (*run)(long count);
	} rows[] = {{"pair", pair}, {"deep", deep}, {"many", many},      {"set", set},
		    {"get", get},   {"work", work}, {"signals", signals}};
	long count = word_count > 2 ? atol(words[2]) : 0;

	for (int i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "name%d", i);
	region = cali_find_attribute("region");
	value = cali_create_attribute("value", CALI_TYPE_INT,
				      CALI_ATTR_ASVALUE | CALI_ATTR_AGGREGATABLE);
	for (size_t i = 0; count && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, words[1]) != 0)
			continue;
		cali_begin_region("main");
		rows[i].run(NAMES); /* contexts are known then */
		double begin = cpu_ns();

		rows[i].run(count);
		printf("%.3f\n", (cpu_ns() - begin) / (double)count);
		cali_end_region("main");
		return 0;
	}
	return 2;
}
