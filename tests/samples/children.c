/* A child, and a program that another child executes: `= share FUNCTION PERCENT`,
 * `= processes N`. */
#include "work.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) void forked_step(void)
{
	for (int i = 0; i < 50000; i++)
		sink += 3;
}

__attribute__((noinline)) void executed_step(void)
{
	for (int i = 0; i < 50000; i++)
		sink ^= 5;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		WORK_FOR(0.2, executed_step());
		return 0;
	}
	if (!fork()) {
		WORK_FOR(0.2, forked_step());
		_exit(0);
	}
	if (!fork()) {
		execl("/proc/self/exe", argv[0], "again", (char *)0);
		_exit(1);
	}
	while (wait(NULL) > 0)
		;
	puts("= share forked_step 50\n= share executed_step 50\n= processes 3");
	return 0;
}
