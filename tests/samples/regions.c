/*
 * The same functions in several regions, in threads, children and after exec: `= region
 * PATH FUNCTION PERCENT`. With "short" regions end after two microseconds, and a function
 * is in one of them alone: `= only PATH FUNCTION`.
 */
#include "work.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <trammel/annotate.h>
#include <unistd.h>

static volatile unsigned long sinks[64];

__attribute__((noinline)) void heavy_step(void)
{
	for (int i = 0; i < 50000; i++)
		sinks[0] += 3;
}

__attribute__((noinline)) void light_step(void)
{
	for (int i = 0; i < 50000; i++)
		sinks[32] ^= 5;
}

static void *work_in_thread(void *argument)
{
	trm_begin("region", "thread");
	WORK_FOR(0.2, light_step());
	trm_end("region");
	return argument;
}

enum { SHORT = 1500 };

__attribute__((noinline)) void early_step(void)
{
	for (int i = 0; i < SHORT; i++)
		sinks[0] += 3;
}

__attribute__((noinline)) void late_step(void)
{
	for (int i = 0; i < SHORT; i++)
		sinks[32] += 3;
}

static void work_shortly(void)
{
	for (int i = 0; i < 130000; i++) {
		trm_begin("region", "one");
		early_step();
		trm_end("region");
		trm_begin("region", "two");
		late_step();
		trm_end("region");
	}
	puts("= only one early_step\n= only two late_step");
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;

	if (argc > 1 && !strcmp(argv[1], "short")) {
		work_shortly();
		return 0;
	}
	if (argc > 1) {
		trm_begin("region", "executed");
		WORK_FOR(0.2, light_step());
		trm_end("region");
		return 0;
	}
	trm_begin("region", "main");
	pthread_create(&thread, NULL, work_in_thread, NULL);
	WORK_FOR(0.2, heavy_step());
	trm_begin("region", "inner");
	WORK_FOR(0.2, heavy_step());
	trm_end("region");
	pthread_join(thread, NULL);
	trm_end("region");
	child = fork();
	if (!child) {
		trm_begin("region", "child");
		WORK_FOR(0.2, light_step());
		execl("/proc/self/exe", "regions", "again", (char *)NULL);
	}
	waitpid(child, NULL, 0);
	WORK_FOR(0.2, heavy_step());
	puts("= region main heavy_step 16.7\n= region main/inner heavy_step 16.7\n"
	     "= region thread light_step 16.7\n= region child light_step 16.7\n"
	     "= region executed light_step 16.7\n= region (none) heavy_step 16.7");
	return 0;
}
