/*
 * What annotating costs: `context_costs OPERATION COUNT` does it so often and prints
 * nanoseconds of the thread's CPU time an operation (memory: bytes). bench/context.py
 * runs it, with and without a measurement, and under callgrind.
 */
#include <trammel/annotate.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

enum { NAMES = 10000 };

static char names[NAMES][16];
static trm_attribute metric, context;

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void clock_reads(long count)
{
	static volatile unsigned long sum;

	for (long i = 0; i < count; i++)
		sum = sum + __rdtsc();
}

static void region(long count)
{
	for (long i = 0; i < count; i++) {
		TRM_REGION("region");
		__asm__ volatile("");
	}
}

/* What --regions makes a region of. */
__attribute__((noinline, noclone)) static void called(long number)
{
	static volatile long sum;

	sum += number * 3;
}

static void call(long count)
{
	for (long i = 0; i < count; i++)
		called(i);
}

static void loop(long count)
{
	for (long i = 0; i < count; i++) {
		TRM_LOOP("loop", i)
		{
			__asm__ volatile("");
		}
	}
}

static void pair_named(long count)
{
	for (long i = 0; i < count; i++) {
		trm_begin("level", 3);
		trm_end("level");
	}
}

static void pair_attribute(long count)
{
	for (long i = 0; i < count; i++) {
		trm_begin(context, 3);
		trm_end(context);
	}
}

/* Ten thousand siblings, in an order that no cache foresees. */
static void pair_many(long count)
{
	trm_attribute many = trm_attribute_create("many", TRM_TYPE_STRING, TRM_NESTED);

	for (long i = 0; i < count; i++) {
		trm_begin(many, names[i * 7919 % NAMES]);
		trm_end(many);
	}
}

static void pair_numbers(long count)
{
	for (long i = 0; i < count; i++) {
		trm_begin(context, i * 7919 % NAMES);
		trm_end(context);
	}
}

static void set_metric(long count)
{
	for (long i = 0; i < count; i++)
		trm_set(metric, 5);
}

static void set_metric_many(long count)
{
	for (long i = 0; i < count; i++)
		trm_set(metric, i % 1000000);
}

static void set_context(long count)
{
	for (long i = 0; i < count; i++)
		trm_set(context, 5);
}

static void set_context_many(long count)
{
	for (long i = 0; i < count; i++)
		trm_set(context, i % 1000000);
}

static void *first_event(void *ret_ns)
{
	double begin = cpu_ns();

	{
		TRM_REGION("first");
	}
	*(double *)ret_ns = cpu_ns() - begin;
	return NULL;
}

static pthread_barrier_t all_began;

static void *first_and_wait(void *ret_ns)
{
	first_event(ret_ns);
	pthread_barrier_wait(&all_began);
	return NULL;
}

static const struct {
	const char *name;
	void (*function)(long count);
	long known; /* operations after which all contexts are known */
} table[] = {
	{"rdtsc", clock_reads, 1},
	{"region", region, 1},
	{"loop", loop, 1},
	{"call", call, 1},
	{"named", pair_named, 1},
	{"attribute", pair_attribute, 1},
	{"many", pair_many, NAMES},
	{"numbers", pair_numbers, NAMES},
	{"set", set_metric, 1},
	{"set-many", set_metric_many, 1000000},
	{"set-context", set_context, 1},
	{"set-context-many", set_context_many, 1000000},
};

struct job {
	size_t row;
	long count;
	double ns;
};

static void *run(void *context_of_job)
{
	struct job *job = context_of_job;

	table[job->row].function(table[job->row].known);
	double begin = cpu_ns();

	table[job->row].function(job->count);
	job->ns = (cpu_ns() - begin) / (double)job->count;
	return NULL;
}

/* The same of threads that are all there at once. */
static int threads_live(long count)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	double *ns = calloc((size_t)count, sizeof(*ns)), sum = 0;

	pthread_barrier_init(&all_began, NULL, (unsigned)count + 1);
	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, first_and_wait, &ns[i]);
	pthread_barrier_wait(&all_began);
	for (long i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += ns[i];
	}
	printf("%.3f\n", sum / (double)count);
	free(threads);
	free(ns);
	return 0;
}

static int threads_first(long count)
{
	double sum = 0;

	for (long i = 0; i < count; i++) {
		pthread_t thread;
		double ns;

		pthread_create(&thread, NULL, first_event, &ns);
		pthread_join(thread, NULL);
		sum += ns;
	}
	printf("%.3f\n", sum / (double)count);
	return 0;
}

int main(int argc, char **argv)
{
	long threads = argc > 3 ? atol(argv[3]) : 1;
	pthread_t other;
	struct job jobs[2];

	if (argc < 3)
		return 2;
	for (int i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "name %d", i);
	metric = trm_attribute_create("metric", TRM_TYPE_INT,
				      TRM_AS_VALUE | TRM_AGGREGATABLE);
	context = trm_attribute_create("context", TRM_TYPE_INT, TRM_NESTED);
	if (!strcmp(argv[1], "first"))
		return threads_first(atol(argv[2]));
	if (!strcmp(argv[1], "first-live"))
		return threads_live(atol(argv[2]));
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(argv[1], table[i].name))
			continue;
		jobs[0] = jobs[1] = (struct job){i, atol(argv[2]), 0};
		if (threads == 2)
			pthread_create(&other, NULL, run, &jobs[1]);
		run(&jobs[0]);
		if (threads == 2)
			pthread_join(other, NULL);
		printf("%.3f\n",
		       jobs[threads == 2].ns > jobs[0].ns ? jobs[1].ns : jobs[0].ns);
		return 0;
	}
	return 2;
}
