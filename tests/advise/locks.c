/*
 * For the rule `lock`. HIT: two threads that compute while they hold a mutex; MENDED:
 * they compute in front of it. MISS: the mutex is taken as often, and held for a moment.
 *
 * build: gcc -O2 -g -pthread
 * measure: -m waits
 * finding: lock work
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 2 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long shared;
static int rounds = 40;

__attribute__((noinline)) static unsigned long compute(unsigned long seed)
{
	const struct timespec moment = {0, 2000000};

	for (int i = 0; i < 20000; i++)
		seed = seed * 6364136223846793005ul + 1;
	/* Something that takes time, however many processors there are. */
	nanosleep(&moment, NULL);
	return seed;
}

static void *work(void *argument)
{
	for (int i = 0; i < rounds; i++) {
#if defined(MENDED) || defined(MISS)
		const unsigned long value = compute((unsigned long)i);

		pthread_mutex_lock(&mutex);
		shared += value;
		pthread_mutex_unlock(&mutex);
#else
		pthread_mutex_lock(&mutex);
		shared += compute((unsigned long)i);
		pthread_mutex_unlock(&mutex);
#endif
	}
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	if (argc > 1)
		rounds = atoi(argv[1]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", shared);
	return 0;
}
