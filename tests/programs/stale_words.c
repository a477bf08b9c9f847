// build: gcc -O2
// build(O0): gcc -O0
// build(clang): clang -O2
// build(pointers): gcc -O2 -fno-omit-frame-pointer
// expect: function=keep calls=40
// expect: function=handler calls=20
/*
 * Words of a stack that look like return addresses, and are data: a frame whose function
 * has not yet written to all of it holds old ones, and may keep something of its own in a
 * part of such a word. Nobody may change them, neither for a signal handler nor for an
 * unwinder. The program takes old return addresses from its stack and keeps them in
 * frames of its own.
 */
#include "lib/test.h"

#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

enum { WORDS = 64 };

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	(void)signal;
	handled++;
}

KEPT int leave(int n)
{
	ROOM();
	return n + 1;
}

/* Calls that leave their return addresses below the stack pointer. */
KEPT int go_down(int n)
{
	int sum = leave(n);

	ROOM();
	if (n > 0)
		sum += go_down(n - 1);
	return sum + leave(n);
}

/* What lies on the stack from before. */
KEPT void take(volatile uint64_t *words)
{
	volatile uint64_t old[WORDS];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
	for (int i = 0; i < WORDS; i++)
		words[i] = old[i];
#pragma GCC diagnostic pop
}

static void by_signal(void)
{
	CHECK(!raise(SIGUSR1));
}

static void by_unwinder(void)
{
	void *frames[8];

	CHECK(backtrace(frames, 8) > 1);
}

/* Keeps words in its frame while somebody looks through the stack. */
KEPT int keep(void (*look)(void))
{
	volatile uint64_t words[WORDS];
	uint64_t before[WORDS];
	int changed = 0;

	go_down(5);
	take(words);
	for (int i = 0; i < WORDS; i++)
		before[i] = ~words[i];
	look();
	for (int i = 0; i < WORDS; i++)
		changed += words[i] != ~before[i];
	return changed;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handler};
	int changed = 0;

	CHECK(!sigaction(SIGUSR1, &action, NULL));
	for (int i = 0; i < 20; i++) {
		changed += keep(by_signal);
		changed += keep(by_unwinder);
	}
	printf("%d signals, %d words changed\n", (int)handled, changed);
	return changed ? 1 : 0;
}
