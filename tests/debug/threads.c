/* Four threads call touch 200 times each, a handler of SIGUSR1 once more; then children
 * are forked and vforked. Prints "threads 800", "child 3 hits 801", "true 0". */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <signal.h>
#include <unistd.h>
#include <string.h>
#include <stdlib.h>
#include <sys/wait.h>
static volatile int hits;
__attribute__((noinline)) void touch(int id)
{
	__atomic_fetch_add(&hits, 1, __ATOMIC_SEQ_CST);
	asm volatile("" ::"r"(id));
}
static void *work(void *arg)
{
	for (int i = 0; i < 200; i++)
		touch((int)(long)arg);
	return NULL;
}
__attribute__((noinline)) void on_usr1(int s)
{
	touch(99);
	(void)s;
}
__attribute__((noinline)) void child_work(void)
{
	touch(7);
}
int main(void)
{
	pthread_t t[4];
	signal(SIGUSR1, on_usr1);
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("threads %d\n", hits);
	raise(SIGUSR1);
	fflush(stdout);
	pid_t c = fork();
	if (!c) {
		child_work();
		_exit(3);
	}
	int st;
	waitpid(c, &st, 0);
	printf("child %d hits %d\n", WEXITSTATUS(st), hits);
	fflush(stdout);
	c = vfork();
	if (!c) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(c, &st, 0);
	printf("true %d\n", WEXITSTATUS(st));
	return 0;
}
