// build: gcc -O2 -rdynamic lib/chain.c -lunwind
// output: 300 signals, 0 chains broken
// expect: function=chain_work calls=1
// not-spans: what its handler calls takes longer than its timer's millisecond
/* The same as timer_backtrace with libunwind as the walker. */
#define UNW_LOCAL_ONLY
#include "lib/chain.h"

#include <dlfcn.h>
#include <libunwind.h>
#include <string.h>

static volatile int broken;

static int in_main(unw_word_t address)
{
	Dl_info info;

	return dladdr((void *)address, &info) && info.dli_sname &&
	       !strcmp(info.dli_sname, "main");
}

static int reaches_main(void)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t address;

	if (unw_getcontext(&context) || unw_init_local(&cursor, &context))
		return 0;
	while (unw_step(&cursor) > 0) {
		if (unw_get_reg(&cursor, UNW_REG_IP, &address) == 0 && in_main(address))
			return 1;
	}
	return 0;
}

static void handle(int number)
{
	(void)number;
	if (!reaches_main())
		broken++;
	chain_signals++;
}

int main(void)
{
	CHECK(reaches_main());
	chain_start(handle);
	chain_work(300);
	chain_stop();
	printf("%d signals, %d chains broken\n",
	       chain_signals >= 300 ? 300 : chain_signals, broken);
	return 0;
}
