// build: gcc -O2
// helper: gs_call lib/gs_child.c gcc -O2
// helper: gs_instruction lib/gs_child_base.c gcc -O2 -mfsgsbase
// output: children 70 78
// expect: function=start calls=2
// expect-process: program=gs_instruction state=released
// expect-process: program=gs_call state=released
/* Children that set GS: they are released, and work. */
#include "lib/test.h"

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

KEPT static int start(const char *folder, const char *name)
{
	char path[4096], *arguments[] = {path, NULL};
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	CHECK(posix_spawn(&pid, path, NULL, NULL, arguments, environ) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(int count, char **arguments)
{
	int first, second;

	CHECK(count == 1);
	*strrchr(arguments[0], '/') = '\0';
	first = start(arguments[0], "gs_call");
	second = start(arguments[0], "gs_instruction");
	printf("children %d %d\n", first, second);
	return 0;
}
