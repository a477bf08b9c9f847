/*
 * The same work by one thread or by several: `threads N` divides 240 parts among N
 * threads. Each function of the work is called equally often whatever N is.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 240, THREADS_MAX = 16, STEPS = 500 };

static long threads;
static unsigned long sums[THREADS_MAX];

static __attribute__((noinline)) unsigned long stir(unsigned long x)
{
	return x * 6364136223846793005ul + 1442695040888963407ul;
}

static __attribute__((noinline)) unsigned long fold(unsigned long x, int step)
{
	return step % 3 ? stir(x) : stir(stir(x) ^ (unsigned long)step);
}

static __attribute__((noinline)) unsigned long work_part(unsigned long seed)
{
	for (int step = 0; step < STEPS; step++)
		seed = fold(seed, step);
	return seed;
}

static void *work(void *number)
{
	long first = (long)number;

	for (long part = first; part < PARTS; part += threads)
		sums[first] += work_part((unsigned long)part);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t ids[THREADS_MAX];
	unsigned long sum = 0;

	threads = argc > 1 ? atol(argv[1]) : 1;
	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, work, (void *)i))
			return 1;
	for (long i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		sum += sums[i];
	}
	printf("%lu\n", sum);
	return 0;
}
