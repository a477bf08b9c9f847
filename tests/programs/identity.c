// build: gcc -O2
// build(static): gcc -O2 -static
// args: one "two words" ''
// expect: function=show_all calls=1
// not-preloaded: it prints its environment, which the library is asked by
/*
 * Everything that a program can see of how it was started: arguments, environment,
 * descriptors, limits, signal mask and dispositions, timers, own path, stack.
 */
#include "lib/test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void show_environment(void)
{
	size_t count = 0;

	while (environ[count])
		count++;
	qsort(environ, count, sizeof(environ[0]), by_text);
	for (size_t i = 0; i < count; i++)
		printf("environment %s\n", environ[i]);
}

static void show_descriptors(void)
{
	struct stat state;

	for (int fd = 0; fd < 1024; fd++) {
		if (fstat(fd, &state) == 0)
			printf("descriptor %d: type %o, flags %d %o\n", fd,
			       state.st_mode & S_IFMT, fcntl(fd, F_GETFD),
			       fcntl(fd, F_GETFL));
	}
}

static void show_status(void)
{
	static const char *const fields[] = {
		"Name",         "State",       "Threads",    "SigPnd",
		"ShdPnd",       "SigBlk",      "SigIgn",     "SigCgt",
		"Umask",        "CoreDumping", "NoNewPrivs", "Seccomp:",
		"Cpus_allowed", "Uid",         "Gid",        "THP_enabled"};
	FILE *file = fopen("/proc/self/status", "r");
	char line[4096];

	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			if (!strncmp(line, fields[i], strlen(fields[i])))
				printf("%s", line);
		}
	}
	fclose(file);
}

static void show_limits(void)
{
	for (int i = 0; i < RLIMIT_NLIMITS; i++) {
		struct rlimit limit;

		CHECK(getrlimit(i, &limit) == 0);
		printf("limit %d: %lx %lx\n", i, limit.rlim_cur, limit.rlim_max);
	}
}

static void show_timers(void)
{
	static const int timers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

	for (int i = 0; i < 3; i++) {
		struct itimerval timer;

		CHECK(getitimer(timers[i], &timer) == 0);
		printf("timer %d: %ld\n", timers[i], (long)timer.it_value.tv_usec);
	}
}

/* The stack must be where the kernel puts it: [stack] holds our locals. */
static void show_stack(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4096], *here = line;
	int found = 0;

	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		char *start, *end;

		if (!strstr(line, "[stack]"))
			continue;
		if (sscanf(line, "%p-%p", (void **)&start, (void **)&end) == 2)
			found = start <= here && here < end;
	}
	fclose(file);
	printf("stack found: %d\n", found);
}

KEPT static void show_all(int count, char **arguments)
{
	char path[4096];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
	int death_signal;

	for (int i = 0; i < count; i++)
		printf("argument %d: '%s'\n", i, arguments[i]);
	printf("path %.*s\n", (int)size, path);
	show_environment();
	show_descriptors();
	show_status();
	show_limits();
	show_timers();
	show_stack();
	printf("in the group of its session: %d, nice %d\n", getsid(0) == getpgrp(),
	       getpriority(PRIO_PROCESS, 0));
	CHECK(prctl(PR_GET_PDEATHSIG, &death_signal) == 0);
	printf("death signal %d\n", death_signal);
}

int main(int count, char **arguments)
{
	show_all(count, arguments);
	return 0;
}
