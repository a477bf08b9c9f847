// build: g++ -O2 -pthread
// output: 12000 walks, 61 ends
// expect: function="descend(int)" calls=61
// expect: function="walk(int)" calls=12000
// not-spans: its signals leave little time for the regions of the unwinder
/*
 * Signals from another thread, some 50 us apart, while a thread does little but begin to
 * walk its stack, with all below it that handlers and their returns have left at any
 * depth. An exception that is thrown from there at last finds all frames.
 */
#include "lib/test.h"

#include <alloca.h>
#include <atomic>
#include <csignal>
#include <ctime>
#include <thread>
#include <unwind.h>

static std::atomic<bool> over;
static std::atomic<int> handled;
static int ends, walks;

struct counted {
	~counted()
	{
		ends++;
	}
};

static _Unwind_Reason_Code stop(_Unwind_Context *, void *)
{
	walks++;
	return _URC_NORMAL_STOP;
}

/* Walks from a bit deeper in the stack each time. */
KEPT void walk(int number)
{
	volatile char *place = (volatile char *)alloca(number % 256 * 16 + 16);

	*place = 0;
	_Unwind_Backtrace(stop, nullptr);
}

KEPT void descend(int depth)
{
	counted guard;

	if (depth) {
		descend(depth - 1);
		return;
	}
	for (int i = 0; i < 12000; i++) {
		CHECK(raise(SIGUSR1) == 0);
		walk(i);
	}
	throw walks;
}

static void interrupt(pthread_t thread)
{
	const timespec pause = {0, 50000};

	while (!over) {
		CHECK(pthread_kill(thread, SIGUSR2) == 0);
		nanosleep(&pause, nullptr);
	}
}

int main()
{
	struct sigaction action = {};

	action.sa_handler = [](int) { handled++; };
	action.sa_flags = SA_RESTART;
	CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
	CHECK(sigaction(SIGUSR2, &action, nullptr) == 0);
	std::thread sender(interrupt, pthread_self());
	try {
		descend(60);
	} catch (int number) {
		CHECK(number == walks);
	}
	over = true;
	sender.join();
	CHECK(handled >= walks);
	std::printf("%d walks, %d ends\n", walks, ends);
	return 0;
}
