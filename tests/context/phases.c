/*
 * What is counted in each region: `phases WORD NUMBER`. phases.py says how often `leaf`
 * and `turn` run in which of them.
 */
#include <trammel/annotate.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))
#if defined(__clang__)
#undef KEPT
#define KEPT __attribute__((noinline))
#endif

static volatile long sum;

KEPT static void leaf(long value)
{
	sum += value;
}

/* A loop of `turns` rounds, in one block that has no call. */
KEPT static void turn(long turns)
{
	for (long i = 0; i < turns; i++)
		sum += i;
}

/* Its blocks run half in one phase and half in another. */
KEPT static void changes(long value)
{
	if (value & 1)
		leaf(value);
	trm_begin("region", "inner");
	if (value & 2)
		leaf(value);
	for (long i = 0; i < 3; i++)
		leaf(i);
	trm_end("region");
	turn(value);
}

static void nested(long n)
{
	leaf(0);
	for (long i = 0; i < n; i++) {
		TRM_REGION("outer");
		leaf(i);
		changes(i & 3);
	}
	turn(5);
}

KEPT static void begins(long value)
{
	leaf(value);
	trm_begin("region", "long");
	turn(10);
}

KEPT static void ends(long value)
{
	turn(20);
	trm_end("region");
	leaf(value);
}

static jmp_buf place;

KEPT static void jumps(long value)
{
	trm_begin("region", "jumped");
	leaf(value);
	longjmp(place, 1);
}

/* Regions that end elsewhere than where they began, and such as are left by a jump. */
static void left(long n)
{
	for (volatile long i = 0; i < n; i++) {
		begins(i);
		leaf(i);
		ends(i);
	}
	for (volatile long i = 0; i < n; i++) {
		if (!setjmp(place))
			jumps(i);
		turn(30);
		trm_end("region");
		leaf(i);
	}
}

static void *thread_work(void *number)
{
	long n = (long)number;

	leaf(0);
	for (long i = 0; i < n; i++) {
		TRM_REGION("thread");
		leaf(i);
		turn(2);
	}
	return NULL;
}

static void threads(long n)
{
	enum { THREADS = 6 };
	pthread_t made[THREADS];

	TRM_REGION("main");
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&made[i], NULL, thread_work, (void *)n))
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(made[i], NULL);
	leaf(1);
}

static void forks(long n)
{
	int status;

	TRM_REGION("parent");
	for (long i = 0; i < n; i++) {
		const pid_t child = i & 1 ? vfork() : fork();

		if (!child) {
			leaf(i);
			if (!(i & 1)) {
				{
					TRM_REGION("child");
					turn(7);
				}
				leaf(i);
			}
			_exit(0);
		}
		waitpid(child, &status, 0);
		leaf(i);
	}
}

/* Handlers that have a region of their own, and such as leave one open. */
static volatile sig_atomic_t handled, opened;

static void handle(int signal)
{
	(void)signal;
	handled++;
	if (handled & 1) {
		trm_begin("region", "handler");
		leaf(1);
		trm_end("region");
	} else if (opened) {
		opened = 0;
		trm_end("region");
	} else {
		opened = 1;
		trm_begin("region", "opened");
	}
}

static void signals(long n)
{
	const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};

	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < n)
		turn(100);
	setitimer(ITIMER_REAL, &never, NULL);
	if (opened)
		trm_end("region");
}

/* So many regions, each twice, but not one after the other. */
static void contexts(long n)
{
	char name[32];

	for (int round = 0; round < 2; round++)
		for (long i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "context %ld", i);
			trm_begin("region", name);
			leaf(i);
			trm_end("region");
		}
}

/* So many regions in each other, with names of 40 bytes. */
static void deep(long n)
{
	if (!n)
		return;
	trm_begin("region", "a name of forty bytes, to be in one path");
	leaf(n);
	deep(n - 1);
	trm_end("region");
}

/* Steps of time. */
static void steps(long n)
{
	for (long i = 0; i < n; i++) {
		TRM_LOOP("timestep", i);
		leaf(i);
		if (i % 10 == 0) {
			TRM_REGION("output");
			turn(50);
		}
	}
}

/* The same as Caliper's macros say it. */
static void iterations(long n)
{
	trm_attribute iteration =
		trm_attribute_create("iteration#loop", TRM_TYPE_INT, TRM_AS_VALUE);

	trm_begin("loop", "loop");
	for (long i = 0; i < n; i++) {
		trm_begin(iteration, i);
		leaf(i);
		trm_end(iteration);
	}
	leaf(n);
	trm_end("loop");
	leaf(n);
}

static long used_ms(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* Time of the processor, ms, in two regions. */
static void spends(long n)
{
	static const char *const names[] = {"first", "second"};

	for (int i = 0; i < 2; i++) {
		const long begin = used_ms();

		trm_begin("region", names[i]);
		while (used_ms() - begin < n)
			turn(1000);
		trm_end("region");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long n);
	} words[] = {{"nested", nested},   {"left", left},
		     {"threads", threads}, {"forks", forks},
		     {"signals", signals}, {"contexts", contexts},
		     {"steps", steps},     {"iterations", iterations},
		     {"spends", spends},   {"deep", deep}};
	const long n = argc > 2 ? atol(argv[2]) : 1;

	for (size_t i = 0; argc > 1 && i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].name, argv[1]))
			words[i].run(n);
	return 0;
}
