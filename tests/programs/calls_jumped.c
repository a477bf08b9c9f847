// build: gcc -O2
// options: --calls=in-place
// output: made all
// expect: function=step calls=3000000 at-least
// not-spans: each of its calls would be a region, and handlers leave them open
/*
 * Handlers jump out of a function in front of its first call, where a stub would count
 * its block: the block was executed, though.
 */
#include "lib/step.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { STEPS = 3000000, EVERY_US = 211 };

static sigjmp_buf back;
static volatile long made;

static void leave(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

int main(void)
{
	const struct itimerval often = {{0, EVERY_US}, {0, EVERY_US}},
			       never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = leave};

	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	if (!sigsetjmp(back, 1))
		CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
	while (made < STEPS)
		made += step(made) != 0;
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
	puts("made all");
	return 0;
}
