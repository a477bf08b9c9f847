/*
 * A program that is attached to: for run-probes.py. Commands on standard input, a byte
 * each; after each, "x" goes to standard output.
 *     d   eight calls of `held` begin, one in the other, and stay
 *     u   they return, innermost first
 *     r   a round: each of THREADS threads calls `step` 1000 times, and `held` is called
 *         once, with the argument 100
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#define PROBED __attribute__((noinline))

enum { THREADS = 4, DEPTH = 8, ROUND = 1000 };

static sem_t wanted[THREADS], done;
static volatile int ending;

PROBED long step(long number)
{
	__asm__ volatile("" ::: "memory");
	return number * 3;
}

/* A function that is active all the time, with a loop in it. */
PROBED long work(int thread)
{
	volatile long sum = 0;

	for (;;) {
		sem_wait(&wanted[thread]);
		if (ending)
			return sum;
		for (long i = 0; i < ROUND; i++)
			sum += step(i); /* the line of a point */
		sem_post(&done);
	}
}

static void *run_thread(void *argument)
{
	work((int)(long)argument);
	return NULL;
}

static void answer(void)
{
	if (write(1, "x", 1) != 1)
		exit(1);
}

static void serve(int depth);

PROBED long held(long depth)
{
	__asm__ volatile("" ::: "memory");
	if (depth < DEPTH) {
		held(depth + 1);
	} else if (depth == DEPTH) {
		answer();
		serve(DEPTH);
	}
	__asm__ volatile("" ::: "memory");
	return depth * 10;
}

static void make_round(void)
{
	for (int i = 0; i < THREADS; i++)
		sem_post(&wanted[i]);
	for (int i = 0; i < THREADS; i++)
		sem_wait(&done);
	held(100);
}

/* Until the end of what it is to do at a depth. */
static void serve(int depth)
{
	char byte;

	while (read(0, &byte, 1) == 1) {
		if (byte == 'u' && depth)
			return;
		if (byte == 'd' && !depth)
			held(1);
		if (byte == 'r')
			make_round();
		answer();
	}
	if (depth)
		exit(1);
}

int main(void)
{
	pthread_t threads[THREADS];

	sem_init(&done, 0, 0);
	for (long i = 0; i < THREADS; i++) {
		sem_init(&wanted[i], 0, 0);
		pthread_create(&threads[i], NULL, run_thread, (void *)i);
	}
	serve(0);
	ending = 1;
	for (int i = 0; i < THREADS; i++)
		sem_post(&wanted[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
