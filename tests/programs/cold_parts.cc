// build: g++ -O2
// build(stripped): g++ -O2 -s
// build(fixed): g++ -O2 -fno-pie -no-pie
// output: rare 400 thrown 400 jumped 400 traces 400 timers 20 broken 0
/*
 * The parts of functions that compilers put elsewhere, when they run: they call, throw,
 * are jumped out of, unwound from, and interrupted; and one of them sees its function's
 * return address.
 */
#include "lib/test.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <execinfo.h>
#include <sys/time.h>

#define RARE(condition) __builtin_expect(!!(condition), 0)

static volatile long rare, thrown, jumped, traces, broken;
static volatile sig_atomic_t timers;
static void *volatile own_return;
static jmp_buf back;

__attribute__((cold)) KEPT static void note(volatile long *count)
{
	*count = *count + 1;
}

__attribute__((cold)) KEPT static void leave()
{
	longjmp(back, 1);
}

/* How many frames there are in its own module, which does not change. */
__attribute__((cold)) KEPT static void trace(long *depth)
{
	void *addresses[64];

	*depth = backtrace(addresses, 64);
}

struct counted {
	~counted()
	{
		note(&thrown);
	}
};

KEPT long loops(long number)
{
	if (RARE(number % 5 == 0)) {
		for (long i = 0; i < 4; i++)
			note(&rare);
		rare = rare - 3;
		return number * 3;
	}
	return number + 1;
}

KEPT long throws(long number)
{
	counted object;

	if (RARE(number % 5 == 1)) {
		note(&rare);
		rare = rare - 1;
		throw number;
	}
	thrown = thrown - 1;
	return number + 2;
}

KEPT long leaves(long number)
{
	if (RARE(number % 5 == 2)) {
		note(&jumped);
		leave();
	}
	return number + 3;
}

KEPT long looks(long number)
{
	static long depth;

	if (RARE(number % 5 == 3)) {
		long now;

		own_return = __builtin_return_address(0);
		trace(&now);
		if (depth && depth != now)
			note(&broken);
		depth = now;
		note(&traces);
		return 1;
	}
	return number + 4;
}

KEPT long all(long number)
{
	long sum = loops(number) + looks(number);

	try {
		sum += throws(number);
	} catch (long value) {
		sum += value;
	}
	if (!setjmp(back))
		sum += leaves(number);
	return sum;
}

static void on_timer(int)
{
	void *addresses[64];

	if (backtrace(addresses, 64) < 3)
		broken = broken + 1;
	timers = timers + 1;
}

/* Most of its time is spent in its part. */
KEPT long spins(long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++)
		if (RARE(i % 64)) {
			for (long j = i % 7; j >= 0; j--)
				note(&rare);
			rare = rare - i % 7 - 1;
			sum += 2;
		}
	return sum;
}

int main()
{
	void *addresses[4];
	const struct itimerval each = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	volatile long sum = 0;
	void *first = NULL;

	backtrace(addresses, 4); /* loads libgcc_s */
	for (long i = 0; i < 2000; i++) {
		sum = sum + all(i);
		if (!first)
			first = own_return;
		/* It is where all() called. */
		if (first != own_return ||
		    (own_return &&
		     (unsigned long)own_return - (unsigned long)all >= 4096))
			note(&broken);
	}
	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &each, NULL);
	while (timers < 20)
		CHECK(spins(10000) == 19686);
	setitimer(ITIMER_REAL, &never, NULL);
	std::printf("rare %ld thrown %ld jumped %ld traces %ld timers %d broken %ld\n",
		    rare, thrown, jumped, traces, timers >= 20 ? 20 : 0, broken);
	return 0;
}
