// build: gcc -O2
// args: start
// output: spawned 7, piped 42 43, system 5
// expect: function=spawned calls=11
// expect-process: program=spawn state="exited 0" count=1
// expect-process: program=spawn state="exited 7" count=11
/* posix_spawn, popen and system: every program that they start is measured too. */
#include "lib/test.h"

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

KEPT static int spawned(void)
{
	return 7;
}

static int status_of_spawned(char *program)
{
	char *arguments[] = {program, NULL};
	int status;
	pid_t pid;

	CHECK(posix_spawn(&pid, program, NULL, NULL, arguments, environ) == 0);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int read_number(const char *command)
{
	FILE *file = popen(command, "r");
	int number = -1;

	CHECK(file);
	CHECK(fscanf(file, "%d", &number) == 1);
	CHECK(pclose(file) == 0);
	return number;
}

int main(int count, char **arguments)
{
	char command[4096];
	int status = 0;

	if (count == 1)
		return spawned();
	for (int i = 0; i < 10; i++)
		status = status_of_spawned(arguments[0]);
	printf("spawned %d, piped %d ", status, read_number("echo 42"));
	snprintf(command, sizeof(command), "'%s'; test $? = 7 && expr 40 + 3",
		 arguments[0]);
	printf("%d, ", read_number(command));
	printf("system %d\n", WEXITSTATUS(system("exit 5")));
	return 0;
}
