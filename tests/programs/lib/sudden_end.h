/*
 * A program with three more threads that ends with END, without a word to the C library.
 */
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_barrier_t barrier;

KEPT static int leaf(int n)
{
	return n + 1;
}

static void count_up(void)
{
	volatile int n = 0;

	for (int i = 0; i < 1000; i++)
		n = leaf(n);
}

KEPT static void *thread(void *argument)
{
	count_up();
	pthread_barrier_wait(&barrier);
	for (;;)
		__asm__ volatile("" ::: "memory");
	return argument;
}

int main(void)
{
	pthread_t id;

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
	count_up();
	puts("before the end");
	fflush(stdout);
	pthread_barrier_wait(&barrier);
	END;
}
