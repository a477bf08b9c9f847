// build: gcc -O2 -pthread
// status: exit 7
// expect: function=leaf calls=1000
// expect: function=thread calls=10
/* A program that closes every descriptor, may open three only, and goes on working. */
#include "lib/test.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

KEPT static int leaf(int n)
{
	return n + 1;
}

KEPT static void *thread(void *argument)
{
	volatile int n = 0;

	for (int i = 0; i < 100; i++)
		n = leaf(n);
	return n == 100 ? argument : NULL;
}

int main(void)
{
	struct rlimit limit = {3, 3};
	int good = 0, status = 0;
	pid_t child;

	close_range(0, ~0U, 0);
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 10; i++) {
		pthread_t id;
		void *result;

		if (pthread_create(&id, NULL, thread, &good) || pthread_join(id, &result))
			return 1;
		good += result == &good;
	}
	child = fork();
	if (child == 0)
		_exit(good == 10 ? 4 : 5);
	if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4)
		return 2;
	/* The first descriptor must be free again, as it is without a measurement. */
	return dup(0) == -1 && good == 10 ? 7 : 3;
}
