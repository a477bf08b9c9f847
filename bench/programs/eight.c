/*
 * A server of eight threads that work all the time. For each line of standard input it
 * writes a line: the CPU time of the process and the rounds that its threads made, both
 * since the last line, in nanoseconds and in one number.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 8, PART = 1000 };

struct counter {
	_Alignas(64) unsigned long rounds;
};

static struct counter counters[THREADS];

static __attribute__((noinline)) unsigned turn(unsigned x)
{
	return x << 7 | x >> 25;
}

static __attribute__((noinline)) unsigned stir(unsigned x, unsigned k)
{
	x = turn(x) + k;
	for (unsigned i = 0; i < 8; i++)
		x = x & 64 ? x ^ k : x * 2654435761u;
	return x;
}

static void *serve(void *argument)
{
	struct counter *counter = argument;
	unsigned x = 1;

	for (;;) {
		for (unsigned i = 0; i < PART; i++)
			x = stir(x, i);
		__atomic_store_n(&counter->rounds, counter->rounds + PART + !x,
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(void)
{
	unsigned long last_cpu = 0, last_rounds = 0;
	char line[16];

	for (int i = 0; i < THREADS; i++) {
		pthread_t id;

		if (pthread_create(&id, NULL, serve, &counters[i]))
			return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		struct timespec now;
		unsigned long cpu, rounds = 0;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
		cpu = (unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
		for (int i = 0; i < THREADS; i++)
			rounds += __atomic_load_n(&counters[i].rounds, __ATOMIC_RELAXED);
		printf("%lu %lu\n", cpu - last_cpu, rounds - last_rounds);
		fflush(stdout);
		last_cpu = cpu;
		last_rounds = rounds;
	}
	return 0;
}
