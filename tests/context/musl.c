/* For languages.py: what annotates itself beside another C library than glibc, musl. */
#include <trammel/annotate.h>

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *parts(void *nothing)
{
	for (int i = 0; i < 1000; i++) {
		TRM_REGION("part");
	}
	return nothing;
}

/* Threads, a child, and, if that is asked for, another program. */
int main(int argc, char **argv)
{
	pthread_t threads[4];

	TRM_FUNCTION();
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, parts, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	pid_t child = fork();

	if (!child) {
		TRM_REGION("child");
		_exit(3);
	}
	TRM_LOOP("rest", 7)
	{
		waitpid(child, NULL, 0);
	}
	if (argc > 1 && !strcmp(argv[1], "exec"))
		execl("/bin/echo", "echo", "done", (char *)NULL);
	return 0;
}
