// build: g++ -O2 -pthread
// output: cancelled 40, destroyed 80, seen 40
// expect: function=Holder::~Holder() calls=80
// expect: function=sleeper() calls=40
/* Cancellation unwinds C++ frames: destructors run, and catch (...) must pass it on. */
#include "lib/test.h"

#include <atomic>
#include <pthread.h>
#include <unistd.h>

static std::atomic<int> destroyed, seen, ready;

struct Holder {
	KEPT ~Holder();
};

Holder::~Holder()
{
	destroyed++;
}

KEPT void sleeper()
{
	Holder holder;
	ready = 1;
	for (;;)
		sleep(100);
}

KEPT void catcher()
{
	Holder holder;
	try {
		sleeper();
	} catch (...) {
		seen++;
		throw;
	}
}

static void *start(void *)
{
	catcher();
	return nullptr;
}

int main()
{
	int cancelled = 0;

	for (int i = 0; i < 40; i++) {
		pthread_t thread;
		void *result;

		ready = 0;
		CHECK(pthread_create(&thread, nullptr, start, nullptr) == 0);
		while (!ready)
			usleep(100);
		CHECK(pthread_cancel(thread) == 0);
		CHECK(pthread_join(thread, &result) == 0);
		cancelled += result == PTHREAD_CANCELED;
	}
	std::printf("cancelled %d, destroyed %d, seen %d\n", cancelled, destroyed.load(),
		    seen.load());
	return 0;
}
