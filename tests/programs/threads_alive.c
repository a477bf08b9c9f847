// build: gcc -O2 -pthread
// output: alive 200, sum 200000
// expect: function=thread calls=200
// expect: function=leaf calls=200000
/* 200 threads alive at once, all of which count. */
#include "lib/test.h"

#include <pthread.h>

enum { COUNT = 200, ROUNDS = 1000 };

static pthread_barrier_t barrier;

KEPT static int leaf(int n)
{
	return n & 1;
}

KEPT static void *thread(void *argument)
{
	long sum = 0;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < ROUNDS; i++)
		sum += leaf(2 * i + 1);
	pthread_barrier_wait(&barrier);
	(void)argument;
	return (void *)sum;
}

int main(void)
{
	pthread_t threads[COUNT];
	pthread_attr_t attributes;
	long sum = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 * 1024);
	pthread_barrier_init(&barrier, NULL, COUNT);
	for (int i = 0; i < COUNT; i++)
		CHECK(pthread_create(&threads[i], &attributes, thread, NULL) == 0);
	for (int i = 0; i < COUNT; i++) {
		void *result;

		CHECK(pthread_join(threads[i], &result) == 0);
		sum += (long)result;
	}
	printf("alive %d, sum %ld\n", COUNT, sum);
	return 0;
}
