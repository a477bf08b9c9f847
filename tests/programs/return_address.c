// build: gcc -O2 -rdynamic
// build(O0): gcc -O0 -rdynamic
// build(clang): clang -O2 -rdynamic
// output: own 3000, callers right 3000
// expect: function=who_called calls=3000
// expect: function=red calls=1000
// expect: function=green calls=1000
// expect: function=blue calls=1000
/* Functions that look their caller up by their return address. */
#include "lib/test.h"

#include <dlfcn.h>
#include <string.h>

static int own;

KEPT int who_called(const char *name)
{
	Dl_info info;

	own += dladdr(__builtin_return_address(0), &info) != 0;
	return info.dli_sname && !strcmp(info.dli_sname, name);
}

#define CALLER(name)                                                                     \
	KEPT int name(void)                                                              \
	{                                                                                \
		int right = who_called(#name);                                           \
		__asm__ volatile("" : "+r"(right));                                      \
		return right;                                                            \
	}

CALLER(red)
CALLER(green)
CALLER(blue)

int main(void)
{
	int right = 0;

	for (int i = 0; i < 1000; i++)
		right += red() + green() + blue();
	printf("own %d, callers right %d\n", own, right);
	return 0;
}
