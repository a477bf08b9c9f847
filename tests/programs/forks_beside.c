// build: gcc -O2 -pthread
// output: 400 children, 1200 threads
// expect: function=child calls=400
// expect: function=in_thread calls=1200
// expect-process: program=forks_beside count=502
/*
 * A thread forks again and again while other processes end. These got their threads after
 * the fork that parted them, so counters for these threads lie at equal addresses: a
 * child must not be taken for one of theirs.
 */
#include "lib/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 50, PROCESSES = 100, TOGETHER = 4, THREADS = 12, FORKING = 8 };

static struct {
	int children, threads;
	bool ready;
} * shared;

static pthread_barrier_t barrier;

KEPT static void child(void)
{
	__atomic_add_fetch(&shared->children, 1, __ATOMIC_SEQ_CST);
}

static void *fork_on(void *unused)
{
	while (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE))
		sched_yield();
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0) {
			child();
			_exit(0);
		}
		CHECK(waitpid(pid, NULL, 0) == pid);
	}
	return unused;
}

static void *wait_on(void *unused)
{
	pthread_barrier_wait(&barrier);
	return unused;
}

/* The last ones of its threads fork. */
static void run_forker(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL,
				     i < THREADS - FORKING ? wait_on : fork_on,
				     NULL) == 0);
	__atomic_store_n(&shared->ready, true, __ATOMIC_RELEASE);
	for (int i = THREADS - FORKING; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	_exit(0);
}

KEPT static void *in_thread(void *unused)
{
	__atomic_add_fetch(&shared->threads, 1, __ATOMIC_SEQ_CST);
	return wait_on(unused);
}

static void run_other(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, in_thread, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	_exit(0);
}

int main(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	CHECK(shared != MAP_FAILED);
	if (fork() == 0)
		run_forker();
	while (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE))
		sched_yield();
	for (int i = 0; i < PROCESSES; i++) {
		if (i >= TOGETHER)
			CHECK(wait(NULL) > 0);
		if (fork() == 0)
			run_other();
	}
	while (wait(NULL) > 0)
		;
	printf("%d children, %d threads\n", shared->children, shared->threads);
	return 0;
}
