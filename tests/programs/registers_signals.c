// build: gcc -O2 lib/registers.S
// output: kept all
/* A call changes no register, whenever a signal comes, and calls functions in its
 * handler. */
#include "lib/test.h"

#include <signal.h>
#include <sys/time.h>

enum { CALLS = 20000, SIGNALS = 200 };

static volatile int handled, done;

int registers_kept(void);

KEPT static void in_handler(void)
{
	handled++;
}

static void handle(int number)
{
	(void)number;
	in_handler();
}

/* The argument: microseconds between two signals. */
int main(int count, char **arguments)
{
	const int apart = count > 1 ? atoi(arguments[1]) : 300;
	const struct itimerval often = {{0, apart}, {0, apart}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};

	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
	for (; done < CALLS || handled < SIGNALS; done++)
		CHECK(registers_kept());
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
	puts("kept all");
	return 0;
}
