// build: gcc -O2 -pthread lib/rseq.S
// output: sum 800000
// expect: function=add_on_cpu calls=800000 or-skipped
// expect: function=count_up calls=800000
/*
 * A restartable sequence of the program's own, in the area that the C library registered.
 */
#include "lib/test.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/rseq.h>

enum { THREADS = 4, ROUNDS = 200000, CPUS = 512 };

int add_on_cpu(long *counters, struct rseq *area, uint32_t *aborts);

static long counters[CPUS][8] __attribute__((aligned(64)));

KEPT static long count_up(long n)
{
	return n + 1;
}

static void *thread(void *argument)
{
	struct rseq *area = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);
	uint32_t aborts = 0;
	long n = 0;

	for (int i = 0; i < ROUNDS; i++) {
		add_on_cpu(&counters[0][0], area, &aborts);
		n = count_up(n);
	}
	(void)argument;
	return (void *)n;
}

int main(void)
{
	pthread_t threads[THREADS];
	long sum = 0;

	if (__rseq_size == 0)
		SKIP("the C library registered no restartable sequences");
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, thread, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < CPUS; i++)
		sum += counters[i][0];
	printf("sum %ld\n", sum);
	return 0;
}
