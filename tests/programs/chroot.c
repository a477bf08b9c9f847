// build: gcc -O2 -pthread
// needs: root
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// output: inside, dlopen fails, thread 1, child 0
// expect: function=inside calls=3
/* A program in an empty root, as another user, without /proc. */
#include "lib/test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

KEPT static void *inside(void *argument)
{
	ROOM();
	return argument;
}

int main(void)
{
	pthread_t thread;
	void *result;
	int status = -1;
	pid_t child;

	inside(NULL);
	CHECK(pthread_create(&thread, NULL, inside, &status) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	CHECK(chroot(".") == 0 && chdir("/") == 0);
	CHECK(setgid(65534) == 0 && setuid(65534) == 0);
	child = fork();
	if (child == 0)
		_exit(access("/proc", F_OK) == 0);
	CHECK(waitpid(child, &status, 0) == child);
	printf("inside, dlopen %s, ",
	       dlopen("/libplugin1.so", RTLD_NOW) ? "works" : "fails");
	CHECK(pthread_create(&thread, NULL, inside, &status) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	printf("thread %d, child %d\n", result == &status, WEXITSTATUS(status));
	return 0;
}
