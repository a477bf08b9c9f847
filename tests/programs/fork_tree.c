// build: gcc -O2 -pthread
// output: processes 252, threads 504
// expect: function=grow calls=252
// expect: function=in_thread calls=504
// expect-process: program=fork_tree count=249
/* A tree of forks from forks, with threads in each, and orphans that a parent leaves. */
#include "lib/test.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	int processes, threads;
} * shared;

KEPT static void *in_thread(void *argument)
{
	__atomic_add_fetch(&shared->threads, 1, __ATOMIC_SEQ_CST);
	return argument;
}

KEPT static void grow(int depth)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], NULL, in_thread, NULL) == 0);
	for (int i = 0; i < 2 && depth > 0; i++) {
		if (fork() == 0) {
			grow(depth - 1);
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL); /* in each process: its own two */
	while (wait(NULL) > 0)
		;
	__atomic_add_fetch(&shared->processes, 1, __ATOMIC_SEQ_CST);
}

int main(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	CHECK(shared != MAP_FAILED);
	for (int i = 0; i < 4; i++)
		grow(5);
	printf("processes %d, threads %d\n", shared->processes, shared->threads);
	return 0;
}
