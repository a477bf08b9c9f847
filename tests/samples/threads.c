/* Threads that work for known times: `= share FUNCTION PERCENT`, `= threads N`. */
#include "work.h"

#include <pthread.h>
#include <stdio.h>

static volatile unsigned long sinks[64];

__attribute__((noinline)) void early_step(void)
{
	for (int i = 0; i < 50000; i++)
		sinks[0] += 3;
}

__attribute__((noinline)) void late_step(void)
{
	for (int i = 0; i < 50000; i++)
		sinks[32] ^= 5;
}

static void *work_first(void *argument)
{
	(void)argument;
	WORK_FOR(0.25, early_step());
	return NULL;
}

static void *work_second(void *argument)
{
	(void)argument;
	WORK_FOR(0.25, late_step());
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, work_first, NULL);
	pthread_create(&threads[1], NULL, work_second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	puts("= share early_step 50\n= share late_step 50\n= threads 2");
	return 0;
}
