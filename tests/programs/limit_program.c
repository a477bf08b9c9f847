// build: gcc -O2 -pthread
// output: worked, and so did a child
// expect: function=work calls=250
// expect-context: path=thread/work calls=150
// expect-context: path=child/work calls=50
/* A program that may map 400 MiB, threads and a child of it. */
#include "lib/test.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3 };

static volatile int worked;

KEPT static void work(void)
{
	worked++;
}

KEPT static void *thread(void *argument)
{
	for (int i = 0; i < 50; i++)
		work();
	return argument;
}

KEPT static void child(void)
{
	for (int i = 0; i < 50; i++)
		work();
	_exit(7);
}

/* All at one time, with little stacks. */
static void run_threads(void)
{
	pthread_t ids[THREADS];
	pthread_attr_t attributes;

	CHECK(pthread_attr_init(&attributes) == 0);
	CHECK(pthread_attr_setstacksize(&attributes, 256 << 10) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&ids[i], &attributes, thread, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(ids[i], NULL) == 0);
}

int main(int argc, char **argv)
{
	struct rlimit limit = {400UL << 20, 400UL << 20};
	int status;
	pid_t pid;

	if (argc == 1) {
		CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
		execl("/proc/self/exe", argv[0], "limited", NULL);
		CHECK(!"it can be executed again");
	}
	for (int i = 0; i < 50; i++)
		work();
	run_threads();
	pid = fork();
	if (!pid)
		child();
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	      WEXITSTATUS(status) == 7);
	puts("worked, and so did a child");
	return 0;
}
