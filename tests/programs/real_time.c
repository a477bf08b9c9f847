// build: gcc -O2 -pthread
// output: real time, sum 1000000
// expect: function=leaf calls=1000000
/* A real-time program on one CPU: threads of lower priority do not run there while it
 * does. */
#include "lib/test.h"

#include <pthread.h>
#include <sched.h>

KEPT static long leaf(long n)
{
	return n + 1;
}

static void *thread(void *argument)
{
	volatile long n = 0;

	for (int i = 0; i < 500000; i++)
		n = leaf(n);
	(void)argument;
	return (void *)n;
}

int main(void)
{
	struct sched_param parameter = {.sched_priority = 50};
	cpu_set_t set;
	pthread_t id;
	void *other;
	long sum;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
	if (sched_setscheduler(0, SCHED_FIFO, &parameter))
		SKIP("needs the right to real-time scheduling");
	CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
	sum = (long)thread(NULL);
	CHECK(pthread_join(id, &other) == 0);
	printf("real time, sum %ld\n", sum + (long)other);
	return 0;
}
