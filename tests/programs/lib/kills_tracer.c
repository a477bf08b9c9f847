/*
 * Makes 1,000 calls, runs on for 0.15 s, and then kills its tracer, if it has one: much
 * sooner than anybody from outside could. With an argument nobody is killed.
 */
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

KEPT static unsigned step(unsigned n)
{
	return n * 1664525 + 1013904223;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static pid_t tracer(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	pid_t found = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "TracerPid:", 10))
			found = atoi(line + 10);
	if (file)
		fclose(file);
	return found;
}

int main(int argc, char **argv)
{
	const double end = seconds() + 0.15;
	unsigned n = 1;

	(void)argv;
	for (int i = 0; i < 1000; i++)
		n = step(n);
	while (seconds() < end)
		n |= 1;
	pid_t victim = argc > 1 ? 0 : tracer();

	if (victim > 0)
		kill(victim, SIGKILL);
	printf("%s\n", n ? "went on" : "wrong");
	return 0;
}
