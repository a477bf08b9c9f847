/* Threads that count while a timer strikes at 1 kHz: prints a sum that is always the
 * same. */
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { THREADS = 3, ROUNDS = 12000000 };

static volatile sig_atomic_t strikes;

KEPT static void strike(int number)
{
	(void)number;
	strikes++;
}

KEPT static unsigned step(unsigned n)
{
	return n * 1664525 + 1013904223;
}

static void *thread(void *argument)
{
	unsigned n = (unsigned)(long)argument;

	for (int i = 0; i < ROUNDS; i++)
		n = step(n);
	return (void *)(long)n;
}

int main(void)
{
	struct itimerval timer = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000};
	struct sigaction action = {.sa_handler = strike, .sa_flags = SA_RESTART};
	unsigned long sum = 0;
	pthread_t threads[THREADS];

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (long i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, thread, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		CHECK(pthread_join(threads[i], &result) == 0);
		sum += (unsigned long)(long)result;
	}
	printf("sum %lu\n", sum);
	return 0;
}
