/* Phases that last: what ran in one is run again by other processes, and by a thread. At
 * its end it waits for its input to end. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static volatile unsigned sum;

__attribute__((noinline)) static void step(unsigned i, unsigned kind)
{
	if (kind == 0)
		sum += i;
	else if (kind == 1)
		sum ^= i;
	else
		sum -= i;
	if (i % 3 == 1)
		sum *= 3;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void phase(unsigned kind)
{
	double end = now() + 0.12;

	while (now() < end)
		for (unsigned i = 0; i < 1000; i++)
			step(i, kind);
}

/* All the time it holds the address of the switch's table. With `forks` it goes on in a
 * child, too, which comes to each case again. */
__attribute__((noinline)) static void turn(unsigned rounds, int forks)
{
	pid_t child = 1;

	for (unsigned i = 0; i < rounds; i++) {
		switch (i % 9) {
		case 0:
			step(i, 2);
			sum += 12345;
			break;
		case 1:
			step(i + 1, 2);
			sum ^= 54321;
			break;
		case 2:
			step(i + 2, 2);
			sum -= 777777;
			break;
		case 3:
			step(i + 3, 2);
			sum += i << 3;
			break;
		case 4:
			step(i + 4, 2);
			sum ^= i << 4;
			break;
		case 5:
			step(i + 5, 2);
			sum -= i << 5;
			break;
		case 6:
			step(i + 6, 2);
			sum += i >> 1;
			break;
		case 7:
			step(i + 7, 2);
			sum ^= i >> 2;
			break;
		default:
			if (!forks)
				break;
			forks = 0;
			child = fork();
			if (child)
				return;
			break;
		}
	}
	if (!child)
		_exit(0);
}

static void *run(void *kind)
{
	phase((unsigned)(size_t)kind);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;
	double end;

	phase(0);
	if (argc > 1)
		return 0;
	child = fork();
	if (!child) {
		step(1, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pthread_create(&thread, NULL, run, (void *)1);
	phase(0);
	if (!posix_spawn(&child, argv[0], NULL, NULL, (char *[]){argv[0], "x", NULL},
			 environ))
		waitpid(child, NULL, 0);
	child = vfork();
	if (!child) {
		step(2, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pthread_join(thread, NULL);
	child = fork();
	if (!child) {
		phase(0);
		phase(2);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	end = now() + 0.3;
	while (now() < end)
		turn(900, 0);
	turn(90, 1);
	wait(NULL);
	puts("done");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
