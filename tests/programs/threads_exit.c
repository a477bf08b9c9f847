// build: gcc -O2 -pthread
// status: exit 5
// expect: function=spin calls=4
// expect: function=last_words calls=1
/* The leader ends first; then a thread ends the program with exit while others run. */
#include "lib/test.h"

#include <pthread.h>
#include <unistd.h>

static pthread_barrier_t barrier;

KEPT static void spin(void)
{
	pthread_barrier_wait(&barrier);
	for (;;)
		__asm__ volatile("" ::: "memory");
}

static void *spinner(void *argument)
{
	spin();
	return argument;
}

KEPT static int last_words(void)
{
	puts("the leader is gone");
	return 5;
}

static void *ender(void *argument)
{
	(void)argument;
	pthread_barrier_wait(&barrier);
	usleep(300000); /* the others are in their loops */
	exit(last_words());
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 5);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&thread, NULL, spinner, NULL) == 0);
	CHECK(pthread_create(&thread, NULL, ender, NULL) == 0);
	pthread_exit(NULL);
}
