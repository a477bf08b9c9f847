/* A parent whose children call work: one of fork, one of vfork that executes this program
 * again, and one of posix_spawn; then the parent itself. Prints what each got from it. */
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) int work(int number)
{
	return number * 7 + 1;
}

static void await_child(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	printf("ended with %d\n", status >> 8);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *again[] = {argv[0], "again", NULL};
	pid_t child;

	if (argc > 1)
		return work(2);
	child = fork();
	if (!child)
		_exit(work(1));
	await_child(child);
	child = vfork();
	if (!child) {
		execv("/proc/self/exe", again);
		_exit(1);
	}
	await_child(child);
	if (!posix_spawn(&child, "/proc/self/exe", NULL, NULL, again, environ))
		await_child(child);
	printf("%d\n", work(3));
	return 0;
}
