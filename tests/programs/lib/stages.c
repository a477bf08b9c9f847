/*
 * One stage after the other, each with calls of a function of its own, and between them
 * what counting can begin and end with: calls, a library, a signal. A second thread and a
 * child take part.
 */
#include "test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static KEPT void early(void)
{
	ROOM();
}

static KEPT void enter(void)
{
	ROOM();
}

static KEPT void middle(void)
{
	ROOM();
}

static KEPT void in_thread(void)
{
	ROOM();
}

static KEPT void in_child(void)
{
	ROOM();
}

static KEPT void loaded(void)
{
	ROOM();
}

static KEPT void signalled(void)
{
	ROOM();
}

static KEPT void leave(void)
{
	ROOM();
}

static KEPT void late(void)
{
	ROOM();
}

static void repeat(void (*function)(void), int count)
{
	while (count--)
		function();
}

static void *thread(void *argument)
{
	repeat(in_thread, 17);
	return argument;
}

int main(void)
{
	pthread_t other;
	int status;

	repeat(early, 11);
	enter();
	repeat(middle, 23);
	CHECK(!pthread_create(&other, NULL, thread, NULL));
	CHECK(!pthread_join(other, NULL));
	pid_t child = fork();

	if (!child) {
		repeat(in_child, 5);
		_exit(4);
	}
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4);
	CHECK(dlopen("libm.so.6", RTLD_NOW));
	repeat(loaded, 31);
	raise(SIGURG);
	repeat(signalled, 41);
	leave();
	repeat(late, 13);
	leave();
	repeat(late, 2);
	puts("all stages done");
	return 7;
}
