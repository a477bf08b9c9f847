/*
 * What a thread costs: `thread_cost` prints two numbers, the microseconds to create and
 * join one (median of batches), and the KiB of memory of one that has not yet done
 * anything. Memory is what /proc/self/smaps shows as anonymous or as belonging to a
 * memfd.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 21, BATCH = 100, ALIVE = 200 };

static pthread_barrier_t all_there, may_end;

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void *nothing(void *argument)
{
	return argument;
}

static void *wait_there(void *argument)
{
	pthread_barrier_wait(&all_there);
	pthread_barrier_wait(&may_end);
	return argument;
}

static void create(pthread_t *id, void *(*work)(void *))
{
	if (pthread_create(id, NULL, work, NULL)) {
		fprintf(stderr, "thread_cost: cannot create a thread\n");
		exit(1);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double create_and_join_us(void)
{
	double times[BATCHES];
	pthread_t id;

	for (int batch = 0; batch < BATCHES; batch++) {
		double begin = now_us();

		for (int i = 0; i < BATCH; i++) {
			create(&id, nothing);
			pthread_join(id, NULL);
		}
		times[batch] = (now_us() - begin) / BATCH;
	}
	qsort(times, BATCHES, sizeof(times[0]), by_value);
	return times[BATCHES / 2];
}

/* KiB of anonymous memory and of resident memfd pages of this process. */
static long memory_kib(void)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	char line[512];
	long sum = 0, kib;
	int is_memfd = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (strchr("0123456789abcdef", line[0]))
			is_memfd = strstr(line, "/memfd:") != NULL;
		if (sscanf(line, is_memfd ? "Rss: %ld" : "Anonymous: %ld", &kib) == 1)
			sum += kib;
	}
	fclose(file);
	return sum;
}

static double alive_kib(void)
{
	pthread_t ids[ALIVE];
	long before = memory_kib();
	long with;

	pthread_barrier_init(&all_there, NULL, ALIVE + 1);
	pthread_barrier_init(&may_end, NULL, ALIVE + 1);
	for (int i = 0; i < ALIVE; i++)
		create(&ids[i], wait_there);
	pthread_barrier_wait(&all_there);
	with = memory_kib();
	pthread_barrier_wait(&may_end);
	for (int i = 0; i < ALIVE; i++)
		pthread_join(ids[i], NULL);
	return (double)(with - before) / ALIVE;
}

int main(void)
{
	double us, kib;

	/* Memory first: ended threads leave stacks behind that later ones take over. */
	kib = alive_kib();
	us = create_and_join_us();
	printf("%.2f %.2f\n", us, kib);
	return 0;
}
