/* Three threads call tick, and sleep between two calls: as often and as many milliseconds
 * as the arguments say; 0: until SIGUSR1. Prints "done", ends with 7. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile long calls;
static long times, pause_ms;
static volatile sig_atomic_t ended;

__attribute__((noinline)) void tick(void)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
}

static void end(int signal)
{
	ended = signal;
}

static void *run(void *argument)
{
	const struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000};

	for (long i = 0; times ? i < times : !ended; i++) {
		tick();
		nanosleep(&pause, NULL);
	}
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	times = argc > 1 ? atol(argv[1]) : 100;
	pause_ms = argc > 2 ? atol(argv[2]) : 2;
	signal(SIGUSR1, end);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("done\n");
	return 7;
}
