// build: gcc -O2
// build(clang): clang -O2
// output: sum 36000000, signals came
// expect: function=leaf calls=12000000
// not-spans: its timer leaves little time for 18 million regions
// expect-arc: function=leaf caller=work calls=6000000 kind=direct
// expect-arc: function=leaf caller=tail calls=6000000 kind=jump
// expect-arc: function=tail caller=work calls=6000000 kind=direct
/*
 * Signals find the thread at calls, in front of their counters and behind: each call must
 * still be counted once.
 */
#include "lib/test.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { TURNS = 6000000 };

/* So far from the others that a jump to it takes five bytes. */
KEPT __attribute__((aligned(1024))) long leaf(long n);
KEPT __attribute__((aligned(1024))) long leaf(long n)
{
	ROOM();
	return n + 1;
}

KEPT __attribute__((aligned(1024))) long tail(long n);
KEPT __attribute__((aligned(1024))) long tail(long n)
{
	ROOM();
	return leaf(n + 1);
}

KEPT long work(long turns);
KEPT long work(long turns)
{
	long sum = 0;

	ROOM();
	while (turns--)
		sum += leaf(1) + tail(2);
	return sum;
}

static volatile sig_atomic_t signals;

static void on_alarm(int number)
{
	(void)number;
	signals++;
}

int main(void)
{
	const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	struct sigaction action;
	long sum;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	sum = work(TURNS);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("sum %ld, signals %s\n", sum, signals ? "came" : "did not come");
	return 0;
}
