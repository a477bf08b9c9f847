// build: gcc -O2 -rdynamic lib/chain.c
// build(O0): gcc -O0 -rdynamic lib/chain.c
// build(clang): clang -O2 -rdynamic lib/chain.c
// output: 500 signals, 0 chains broken
// expect: function=chain_start calls=1
// expect: function=chain_deep calls=1000 at-least
/*
 * A timer at 1 kHz interrupts tiny functions; the handler, on an alternate stack, walks
 * the stack with backtrace() and must find chain_work and main in it.
 */
#include "lib/chain.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

static volatile int broken;

static int finds(void *const *addresses, int count, const char *name)
{
	for (int i = 0; i < count; i++) {
		Dl_info info;

		if (dladdr(addresses[i], &info) && info.dli_sname &&
		    !strcmp(info.dli_sname, name))
			return 1;
	}
	return 0;
}

static void handle(int number)
{
	void *addresses[64];
	int count = backtrace(addresses, 64);

	(void)number;
	/* On a busy machine the timer strikes before and behind it, too. */
	if (!finds(addresses, count, "main") ||
	    (chain_working && !finds(addresses, count, "chain_work")))
		broken++;
	chain_signals++;
}

int main(void)
{
	void *first[4];

	backtrace(first, 4); /* loads libgcc_s, which must not happen in a handler */
	chain_start(handle);
	chain_work(500);
	chain_stop();
	printf("%d signals, %d chains broken\n",
	       chain_signals >= 500 ? 500 : chain_signals, broken);
	return 0;
}
