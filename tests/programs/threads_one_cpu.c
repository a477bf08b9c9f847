// build: gcc -O2 -pthread
// output: turns 4000, on one CPU
// expect: function=take_turn calls=4000
/* Threads that take turns on a single CPU, which the tracer may share. */
#include "lib/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int turn;

KEPT static void take_turn(int number)
{
	while (turn % 4 != number)
		sched_yield();
	turn++;
}

static void *thread(void *argument)
{
	for (int i = 0; i < 1000; i++)
		take_turn((int)(long)argument);
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
	for (long i = 0; i < 4; i++)
		CHECK(pthread_create(&threads[i], NULL, thread, (void *)i) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 1);
	printf("turns %d, on one CPU\n", turn);
	return 0;
}
