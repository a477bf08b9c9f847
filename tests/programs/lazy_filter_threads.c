// build: gcc -O1 -pthread
// output: threads 400 sum 320800
/* Many threads that are made one after the other behind a filter of system calls, beside
 * four that run: there are no banks for all of them, so some share one, and both may ask
 * who plans functions at their first calls. Neither waits for a reply that the other one
 * took. */
#include "lib/test.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { THREADS = 400, RUNNERS = 4 };

static atomic_int over;

static void forbid_link(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_link, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(steps) / sizeof(steps[0]), steps};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void *run(void *argument)
{
	unsigned int seed = (unsigned int)(size_t)argument;

	while (!over)
		free(malloc((size_t)rand_r(&seed) % 1000 + 1));
	return NULL;
}

static void *brief(void *argument)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", (size_t)argument);
	return (void *)(size_t)(strtoul(text, NULL, 10) * 4 + 4);
}

int main(void)
{
	pthread_t runners[RUNNERS], thread;
	size_t sum = 0;
	void *result;

	forbid_link();
	for (size_t i = 0; i < RUNNERS; i++)
		pthread_create(&runners[i], NULL, run, (void *)i);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_create(&thread, NULL, brief, (void *)i);
		pthread_join(thread, &result);
		sum += (size_t)result;
	}
	over = 1;
	for (size_t i = 0; i < RUNNERS; i++)
		pthread_join(runners[i], NULL);
	printf("threads %d sum %zu\n", THREADS, sum);
	return 0;
}
