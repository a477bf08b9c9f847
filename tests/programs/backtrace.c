// build: gcc -O2 -rdynamic
// build(O0): gcc -O0 -rdynamic
// build(pointers): gcc -O2 -rdynamic -fno-omit-frame-pointer
// output: level level level level level level level walk main
// output: good walks 1000
// expect: function=level calls=7007
// expect: function=walk calls=1001
/* backtrace() and dladdr of the return addresses that it finds. */
#include "lib/test.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

static int show;

static int matches(void *const *addresses, int count)
{
	int levels = 0, others = 0;

	for (int i = 0; i < count && others < 2; i++) {
		Dl_info info;

		if (!dladdr(addresses[i], &info) || !info.dli_sname)
			return 0;
		if (show)
			printf("%s%s", info.dli_sname, others == 1 ? "\n" : " ");
		if (!strcmp(info.dli_sname, "level"))
			levels++;
		else
			others++;
	}
	return levels == 7 && others == 2;
}

KEPT int level(int depth)
{
	void *addresses[32];

	if (depth > 0) {
		int matched = level(depth - 1);

		__asm__ volatile("" : "+r"(matched)); /* no tail call */
		return matched;
	}
	return matches(addresses, backtrace(addresses, 32));
}

KEPT int walk(void)
{
	return level(6) ? 1 : 0;
}

int main(void)
{
	int good = 0;

	show = 1;
	CHECK(walk());
	show = 0;
	for (int i = 0; i < 1000; i++)
		good += walk();
	printf("good walks %d\n", good);
	return 0;
}
