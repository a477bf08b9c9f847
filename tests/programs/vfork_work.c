// build: gcc -O1 -Wno-deprecated-declarations
// args: start
// output: exited 3: 40, executed: 20, seen 60
// expect: function=in_vfork calls=600
// expect: function=after_exec calls=20
// expect: function=main calls=21
// expect-process: program=vfork_work state="exited 0" count=21
/*
 * vfork with work in the child, which runs in the parent's memory, before it ends with
 * _exit or with exec.
 */
#include "lib/test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int seen;

KEPT static void in_vfork(void)
{
	ROOM();
}

KEPT static int after_exec(void)
{
	return 0;
}

static int child(char *program, int executes)
{
	char *arguments[] = {program, NULL}, *environment[] = {NULL};
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		for (int i = 0; i < 10; i++)
			in_vfork();
		seen++;
		if (executes)
			execve(program, arguments, environment);
		_exit(3);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

int main(int count, char **arguments)
{
	int exited = 0, executed = 0;

	if (count == 1)
		return after_exec();
	CHECK(!strcmp(arguments[1], "start"));
	for (int i = 0; i < 20; i++) {
		exited += child(arguments[0], 0) == 3;
		exited += child("/nonexistent", 1) == 3;
		executed += child(arguments[0], 1) == 0;
	}
	printf("exited 3: %d, executed: %d, seen %d\n", exited, executed, seen);
	return 0;
}
