/*
 * Programs for the tests of call paths: the first word says what to do. `paths.py` knows
 * what each must have said. Functions are different, so that none takes another's place.
 */
#include <caliper/cali.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif
#define STAYS() __asm__ volatile("" ::: "memory") /* the call before is no jump */

static void *volatile kept;
static volatile unsigned sink;

APART static double spin(int ms)
{
	struct timespec begin, now;
	double passed;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		for (int i = 0; i < 20000; i++)
			sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		passed = (double)(now.tv_sec - begin.tv_sec) * 1e3 +
			 (double)(now.tv_nsec - begin.tv_nsec) * 1e-6;
	} while (passed < ms);
	return passed;
}

APART static void work(int number)
{
	cali_begin_region("work");
	sink += number;
	cali_end_region("work");
	STAYS();
}

APART static void left(int count)
{
	for (int i = 0; i < count; i++)
		work(i);
	STAYS();
}

APART static void right(int count)
{
	sink++;
	for (int i = 0; i < 2 * count; i++)
		work(-i);
	STAYS();
}

/* A frame whose size is known at run time only. */
APART static void variable(int count)
{
	char bytes[count + 1];

	memset(bytes, count, sizeof(bytes));
	sink += bytes[count / 2];
	left(count);
	STAYS();
}

APART static void deep(int depth)
{
	if (depth)
		deep(depth - 1);
	else
		work(depth);
	STAYS();
}

static void *in_thread(void *count)
{
	variable(*(int *)count);
	STAYS();
	return NULL;
}

static void events(int count)
{
	pthread_t thread;

	left(count);
	right(count);
	pthread_create(&thread, NULL, in_thread, &count);
	pthread_join(thread, NULL);
	deep(3);
	deep(1000);
}

APART static void killed(int count)
{
	events(count);
	raise(SIGKILL);
}

static void in_handler(int signal)
{
	(void)signal;
	work(1);
	STAYS();
}

/* A handler on a stack of its own, and a coroutine. */
static ucontext_t outside, inside;

static void coroutine(void)
{
	right(1);
	swapcontext(&inside, &outside);
}

static void stacks(int count)
{
	static char handler_stack[1 << 16], coroutine_stack[1 << 16];
	const stack_t own = {.ss_sp = handler_stack, .ss_size = sizeof(handler_stack)};
	struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};

	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < count; i++)
		raise(SIGUSR1);
	getcontext(&inside);
	inside.uc_stack.ss_sp = coroutine_stack;
	inside.uc_stack.ss_size = sizeof(coroutine_stack);
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
}

APART static double hot(int ms)
{
	double passed = spin(3 * ms);

	STAYS();
	return passed;
}

APART static double warm(int ms)
{
	double passed = spin(ms);

	sink--;
	STAYS();
	return passed;
}

static void say(const char *name, double ms)
{
	printf("%s %.1f\n", name, ms);
}

/* Half of it in regions, that end at once: samples may strike in the library. */
APART static double busy(int ms)
{
	struct timespec begin, now;
	double passed;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		for (int i = 0; i < 100; i++) {
			cali_begin_region("short");
			cali_end_region("short");
		}
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		passed = (double)(now.tv_sec - begin.tv_sec) * 1e3 +
			 (double)(now.tv_nsec - begin.tv_nsec) * 1e-6;
	} while (passed < ms);
	return passed;
}

static void *sampled_thread(void *ms)
{
	cali_begin_region("thread");
	say("thread", hot(*(int *)ms) + warm(*(int *)ms));
	cali_end_region("thread");
	return NULL;
}

static void samples(int ms)
{
	pthread_t thread;

	cali_begin_region("first");
	say("hot", hot(ms));
	say("warm", warm(ms));
	cali_end_region("first");
	cali_begin_region("second");
	say("busy", busy(ms));
	cali_end_region("second");
	pthread_create(&thread, NULL, sampled_thread, &ms);
	pthread_join(thread, NULL);
}

APART static void take(int count)
{
	for (int i = 0; i < count; i++) {
		kept = malloc(1000);
		free(kept);
	}
	STAYS();
}

APART static void take_more(int count)
{
	void *volatile more = malloc(100000);

	take(count);
	free(more);
	STAYS();
}

APART static void write_some(int count)
{
	FILE *file = fopen("/dev/null", "w");

	for (int i = 0; i < count; i++)
		fwrite("12345678", 2, 4, file);
	fclose(file);
	STAYS();
}

static void calls(int count)
{
	cali_begin_region("outer");
	take(count);
	take_more(count);
	write_some(count);
	cali_end_region("outer");
}

static const struct {
	const char *name;
	void (*run)(int count);
} words[] = {
	{"events", events},   {"killed", killed}, {"stacks", stacks},
	{"samples", samples}, {"calls", calls},
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 2 && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].name, argv[1]))
			words[i].run(atoi(argv[2]));
	return 0;
}
