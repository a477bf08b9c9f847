// build: gcc -O2 -pthread
// build(static): gcc -O2 -pthread -static
// output: deferred 50, asynchronous 50, clean-ups 200
// expect: function=clean_up calls=200
// expect: function=wait_for_it calls=50
// expect: function=spin_for_it calls=50
/*
 * pthread_cancel of threads that wait and of threads that spin, with clean-up handlers.
 */
#include "lib/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int clean_ups;
static atomic_int ready;

KEPT static void clean_up(void *argument)
{
	(void)argument;
	clean_ups++;
}

KEPT static void wait_for_it(void)
{
	pthread_cleanup_push(clean_up, NULL);
	ready = 1;
	for (;;)
		pause();
	pthread_cleanup_pop(0);
}

KEPT static unsigned step(unsigned n)
{
	return n * 5 + 1;
}

KEPT static void spin_for_it(void)
{
	volatile unsigned n = 0;

	pthread_cleanup_push(clean_up, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	ready = 1;
	for (;;)
		n = step(n);
	pthread_cleanup_pop(0);
}

static void *deferred(void *argument)
{
	pthread_cleanup_push(clean_up, argument);
	wait_for_it();
	pthread_cleanup_pop(0);
	return NULL;
}

static void *asynchronous(void *argument)
{
	pthread_cleanup_push(clean_up, argument);
	spin_for_it();
	pthread_cleanup_pop(0);
	return NULL;
}

static int cancel_one(void *(*start)(void *))
{
	pthread_t thread;
	void *result;

	ready = 0;
	CHECK(pthread_create(&thread, NULL, start, NULL) == 0);
	while (!ready)
		usleep(100);
	CHECK(pthread_cancel(thread) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	return result == PTHREAD_CANCELED;
}

int main(void)
{
	int waited = 0, spun = 0;

	for (int i = 0; i < 50; i++) {
		waited += cancel_one(deferred);
		spun += cancel_one(asynchronous);
	}
	printf("deferred %d, asynchronous %d, clean-ups %d\n", waited, spun, clean_ups);
	return 0;
}
