// build: gcc -O2 -pthread
// output: all children ended
/*
 * A process is killed while it forks, or one of its threads ends it, or executes a
 * program: the kernel does not report that child to a tracer then. The child must run on
 * nevertheless. All processes have the pipe open, so that its end is the end of the last
 * one.
 */
#include "lib/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 60 };

static void *fork_on(void *unused)
{
	(void)unused;
	for (;;) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
}

static void pause_for(unsigned int us)
{
	struct timespec time = {0, us * 1000L};

	nanosleep(&time, NULL);
}

/* Ends as `how` says, while it forks. */
static void be_parent(int how, unsigned int us)
{
	pthread_t thread;

	if (how == 0)
		fork_on(NULL);
	CHECK(!pthread_create(&thread, NULL, fork_on, NULL));
	pause_for(us);
	if (how == 1)
		_exit(0);
	execl("/bin/true", "true", (char *)NULL);
	_exit(1);
}

int main(void)
{
	int ends[2];
	char byte;

	CHECK(!pipe(ends));
	for (int i = 0; i < ROUNDS; i++) {
		unsigned int us = 1000 + (unsigned int)i * 37;
		pid_t parent = fork();

		CHECK(parent >= 0);
		if (parent == 0)
			be_parent(i % 3, us);
		pause_for(us);
		if (i % 3 == 0)
			CHECK(!kill(parent, SIGKILL));
		CHECK(waitpid(parent, NULL, 0) == parent);
	}
	close(ends[1]);
	CHECK(read(ends[0], &byte, 1) == 0);
	puts("all children ended");
	return 0;
}
