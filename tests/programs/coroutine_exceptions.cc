// build: g++ -O2 -pthread
// output: caught 1200, backtraces 1200
// expect: function="thrower(int)" calls=1200
/*
 * Exceptions and backtraces on stacks of the program's own, from malloc and mmap, in two
 * threads: the ends of such stacks are not known.
 */
#include "lib/test.h"

#include <atomic>
#include <execinfo.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <thread>
#include <ucontext.h>

enum { SIZE = 64 << 10, COROUTINES = 4, ROUNDS = 150 };

static std::atomic<int> caught, walked;
static thread_local ucontext_t outside, inside[COROUTINES];
static thread_local int current;

KEPT int thrower(int n)
{
	void *frames[32];

	walked += backtrace(frames, 32) > 3;
	throw n;
}

KEPT int between(int n)
{
	return thrower(n) + 1;
}

static void body()
{
	for (int i = 0; i < ROUNDS; i++) {
		try {
			between(i);
		} catch (int n) {
			caught += n == i;
		}
		/* The frames above stay for the next round, on a stack that is left. */
		swapcontext(&inside[current], &outside);
	}
}

static void work(bool from_heap)
{
	for (int i = 0; i < COROUTINES; i++) {
		void *stack = from_heap ? malloc(SIZE)
					: mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		CHECK(stack && stack != MAP_FAILED);
		CHECK(getcontext(&inside[i]) == 0);
		inside[i].uc_stack.ss_sp = stack;
		inside[i].uc_stack.ss_size = SIZE;
		inside[i].uc_link = &outside;
		makecontext(&inside[i], body, 0);
	}
	for (int round = 0; round <= ROUNDS; round++)
		for (current = 0; current < COROUTINES; current++)
			CHECK(swapcontext(&outside, &inside[current]) == 0);
}

int main()
{
	std::thread other(work, true);

	work(false);
	other.join();
	printf("caught %d, backtraces %d\n", (int)caught, (int)walked);
	return 0;
}
