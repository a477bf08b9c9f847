/*
 * A program that says what it does, for run-probes.py: calls of `solve` in regions, by
 * threads of which one begins after another has ended, in a child, and in none.
 */
#include <trammel/annotate.h>

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBED __attribute__((noinline))

PROBED long solve(long number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

static void run(const char *name, int depth, int calls)
{
	trm_begin("region", name);
	if (depth)
		run("inner", depth - 1, calls);
	for (int i = 0; i < calls; i++)
		solve(i);
	trm_end("region");
}

static void *first(void *argument)
{
	run("first", 1, 20);
	return argument;
}

/* The memory of the first one's regions is used again. */
static void *second(void *argument)
{
	run("second", 2, 3);
	solve(0);
	return argument;
}

int main(void)
{
	pthread_t thread;
	pid_t child;

	for (int i = 0; i < 5; i++)
		solve(i);
	run("main", 3, 10);
	pthread_create(&thread, NULL, first, NULL);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, second, NULL);
	pthread_join(thread, NULL);
	child = fork();
	if (!child) {
		run("child", 0, 7);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	printf("= keyed key (none) 6\n= keyed key main 10\n= keyed key main/inner 10\n"
	       "= keyed key main/inner/inner 10\n= keyed key main/inner/inner/inner 10\n"
	       "= keyed key first 20\n= keyed key first/inner 20\n= keyed key second 3\n"
	       "= keyed key second/inner 3\n= keyed key second/inner/inner 3\n"
	       "= keyed key child 7\n= keyed lost 0\n= keyed errors 0\n");
	return 0;
}
