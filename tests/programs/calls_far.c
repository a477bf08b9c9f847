// build: gcc -O2
// build(clang): clang -O2
// build(now): gcc -O2 -Wl,-z,now
// library: libfar.so lib/linked.c gcc -O2
// options: --calls=in-place
// output: steps 6000000, leaps 1
// expect: function=linked_own calls=6000000
// expect-arc: function=linked_own caller=walk calls=6000000 kind=plt
// expect: function=linked_taken calls=3000000 at-least
// not-spans: each of its calls would be a region, and handlers leave them open
/*
 * Calls of another module's functions through the linkage table, at their own places, are
 * counted at their stubs once it is known where they lead. Signals find the thread there,
 * whose handlers return, or leave by siglongjmp.
 */
#include "lib/test.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#define STEPS 6000000
#define LEAPS 3000000

int linked_own(int value);
int linked_taken(int value);

static sigjmp_buf back;

static void stay(int number)
{
	(void)number;
}

static void leave(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void set(void (*handler)(int), int us)
{
	struct sigaction action = {.sa_handler = handler};
	struct itimerval timer = {{0, us}, {0, us}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

KEPT int walk(void)
{
	int steps = 0;

	while (steps < STEPS)
		steps = linked_own(steps);
	return steps;
}

KEPT int leap(void)
{
	volatile int leaps = 0;

	if (!sigsetjmp(back, 1))
		set(leave, 500);
	while (leaps < 2 * LEAPS)
		leaps = linked_taken(leaps);
	set(stay, 0); /* no handler may leap back once this has returned */
	return leaps == 2 * LEAPS;
}

int main(void)
{
	int steps, leaps;

	set(stay, 500);
	steps = walk();
	leaps = leap();
	printf("steps %d, leaps %d\n", steps, leaps);
	return 0;
}
