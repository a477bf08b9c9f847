/* Two threads that write to a line at different places, to one at the same place, and to
 * lines of their own, 1,000 times each, in turns. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { TIMES = 1000 };

struct line {
	volatile uint64_t words[8];
} __attribute__((aligned(64)));

struct line apart, together, own[2];
static pthread_barrier_t barrier;

__attribute__((noinline)) void write_lines(uint64_t number)
{
	apart.words[number * 4] = number;
	together.words[0] = number;
	own[number].words[0] = number;
}

static void *run(void *argument)
{
	uint64_t number = (uint64_t)(uintptr_t)argument;

	for (int i = 0; i < TIMES; i++) {
		pthread_barrier_wait(&barrier);
		if (!number)
			write_lines(0);
		pthread_barrier_wait(&barrier);
		if (number)
			write_lines(1);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
