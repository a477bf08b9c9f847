/* Threads that do nothing but call: wherever they are stopped, some are on the way in. */
#include "test.h"

#include <pthread.h>

enum { THREADS = 3, CALLS = 10000000 };

static KEPT void leaf(void)
{
	ROOM();
}

static void *run(void *argument)
{
	for (int i = 0; i < CALLS; i++)
		leaf();
	return argument;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, run, NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	return 0;
}
