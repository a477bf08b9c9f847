// build: gcc -O2
// output: outer 300, middle 300, inner 300, deepest 3, queued 32 in order
// expect: function=outer calls=300
// expect: function=middle calls=300
// expect: function=inner calls=300
// expect: function=queued calls=32
/* Handlers that raise signals themselves; blocked and queued real-time signals. */
#include "lib/test.h"

#include <signal.h>
#include <unistd.h>

static volatile int counts[3], depth, deepest, next_value, disordered, queued_count;

static void enter(int which)
{
	counts[which]++;
	depth++;
	if (depth > deepest)
		deepest = depth;
}

KEPT static void inner(int number)
{
	(void)number;
	enter(2);
	depth--;
}

KEPT static void middle(int number)
{
	(void)number;
	enter(1);
	raise(SIGUSR2);
	depth--;
}

KEPT static void outer(int number)
{
	(void)number;
	enter(0);
	raise(SIGHUP);
	depth--;
}

KEPT static void queued(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	disordered += info->si_value.sival_int != next_value++;
	queued_count++;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = queued, .sa_flags = SA_SIGINFO};
	sigset_t set;

	signal(SIGUSR1, outer);
	signal(SIGHUP, middle);
	signal(SIGUSR2, inner);
	for (int i = 0; i < 300; i++)
		kill(getpid(), SIGUSR1);
	CHECK(sigaction(SIGRTMIN, &action, NULL) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	for (int i = 0; i < 32; i++) {
		union sigval value = {.sival_int = i};

		CHECK(sigqueue(getpid(), SIGRTMIN, value) == 0);
	}
	CHECK(queued_count == 0);
	CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
	printf("outer %d, middle %d, inner %d, deepest %d, queued %d %s\n", counts[0],
	       counts[1], counts[2], deepest, queued_count,
	       disordered ? "out of order" : "in order");
	return 0;
}
