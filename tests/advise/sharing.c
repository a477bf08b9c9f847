/*
 * For the rule `sharing`. HIT: threads that count in one cache line; MENDED: each has a
 * line of its own. MISS: each counts in a variable on its stack.
 *
 * build: gcc -O2 -g -pthread
 * measure: --tool falseshare
 * finding: sharing work
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };
static int rounds = 300000;
static _Alignas(64) pthread_barrier_t begin;

struct counter {
#ifdef MENDED
	_Alignas(64)
#endif
		volatile unsigned long count;
};
static _Alignas(64) struct counter counters[THREADS];

static void *work(void *argument)
{
	struct counter *counter = argument;

	pthread_barrier_wait(&begin);
#ifdef MISS
	volatile unsigned long mine = 0;

	for (int i = 0; i < rounds; i++) {
		mine += (unsigned long)i;
		if (i % 1024 == 0)
			sched_yield();
	}
	counter->count = mine;
#else
	for (int i = 0; i < rounds; i++) {
		counter->count += (unsigned long)i;
		if (i % 1024 == 0)
			sched_yield(); /* in turn, on one processor, too */
	}
#endif
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	unsigned long sum = 0;

	if (argc > 1)
		rounds = atoi(argv[1]);
	pthread_barrier_init(&begin, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &counters[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += counters[i].count;
	}
	printf("%lu\n", sum);
	return 0;
}
