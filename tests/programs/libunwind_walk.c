// build: gcc -O2 -rdynamic -lunwind
// output: good walks 200
// expect: function=level calls=1600
/* libunwind walks measured frames, in a callback of qsort too. */
#define UNW_LOCAL_ONLY
#include "lib/test.h"

#include <dlfcn.h>
#include <libunwind.h>
#include <string.h>

static int good;

static int is_in(unw_word_t address, const char *name)
{
	Dl_info info;

	return dladdr((void *)address, &info) && info.dli_sname &&
	       !strcmp(info.dli_sname, name);
}

KEPT void walk(void)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t address;
	int levels = 0, reached = 0;

	CHECK(unw_getcontext(&context) == 0 && unw_init_local(&cursor, &context) == 0);
	while (!reached && unw_step(&cursor) > 0) {
		CHECK(unw_get_reg(&cursor, UNW_REG_IP, &address) == 0);
		levels += is_in(address, "level");
		reached = is_in(address, "main");
	}
	good += reached && levels == 8;
}

KEPT void level(int depth)
{
	if (depth > 0)
		level(depth - 1);
	else
		walk();
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

static int compare(const void *a, const void *b)
{
	level(7);
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	for (int i = 0; i < 200; i++) {
		int pair[2] = {2, 1};

		qsort(pair, 2, sizeof(pair[0]), compare);
	}
	printf("good walks %d\n", good);
	return 0;
}
