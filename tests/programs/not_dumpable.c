// build: gcc -O2 -pthread
// output: dumpable 0, thread 1, child 4
// expect: function=work calls=3
/* PR_SET_DUMPABLE 0, which takes /proc/PID/mem away from everybody without rights. */
#include "lib/test.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

KEPT static void *work(void *argument)
{
	ROOM();
	return argument;
}

int main(void)
{
	pthread_t thread;
	void *result;
	int status;
	pid_t child;

	work(NULL);
	CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
	CHECK(pthread_create(&thread, NULL, work, &status) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	child = fork();
	if (child == 0)
		_exit(work(&status) ? 4 : 1);
	CHECK(waitpid(child, &status, 0) == child);
	printf("dumpable %d, thread %d, child %d\n", prctl(PR_GET_DUMPABLE),
	       result == &status, WEXITSTATUS(status));
	return 0;
}
