/*
 * Four threads of tiny calls, then threads created and ended in a row:
 * `threads CALLS ROUNDS` makes CALLS million calls a thread and 4 * ROUNDS short threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

static long calls;

static __attribute__((noinline)) unsigned turn(unsigned x)
{
	return x << 7 | x >> 25;
}

static __attribute__((noinline)) unsigned stir(unsigned x, unsigned k)
{
	x = turn(x) + k;
	return x & 64 ? turn(x ^ k) : x * 2654435761u;
}

static void *busy(void *argument)
{
	unsigned x = (unsigned)(unsigned long)argument;

	for (long i = 0; i < calls; i++)
		x = stir(x, (unsigned)i);
	return (void *)(unsigned long)x;
}

static void *brief(void *argument)
{
	return (void *)(unsigned long)turn((unsigned)(unsigned long)argument);
}

static unsigned long run_all(void *(*work)(void *))
{
	pthread_t ids[THREADS];
	unsigned long sum = 0;

	for (unsigned long i = 0; i < THREADS; i++)
		if (pthread_create(&ids[i], NULL, work, (void *)(i + 1)))
			exit(1);
	for (unsigned long i = 0; i < THREADS; i++) {
		void *value;

		pthread_join(ids[i], &value);
		sum += (unsigned long)value;
	}
	return sum;
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[2]) : 10;
	unsigned long sum;

	calls = (argc > 1 ? atol(argv[1]) : 1) * 1000000 / 2;
	sum = run_all(busy);
	for (long i = 0; i < rounds; i++)
		sum += run_all(brief);
	printf("%lu\n", sum);
	return 0;
}
