// build: gcc -O2 -Wl,-z,now
// build(tag): gcc -O2 -Wl,-z,now -Wl,--audit=$ORIGIN/libwatcher.so
// plugin: libwatcher.so lib/watcher.c gcc -O2
// library: libdispatch.so lib/dispatch.c gcc -O2
// output: sum 1005000
// expect: function=la_version calls=1 module=libwatcher at-least
// expect: function=la_objopen calls=4 module=libwatcher at-least
// expect: function=lib_pick calls=3 module=libdispatch
// expect: function=lib_twice calls=1000 module=libdispatch
/*
 * A library audits the loader's work: it is loaded, relocated and called before what the
 * program starts with is mapped, and all of that is measured, too. The program's tag
 * names it, or the environment, in which the program executes itself. What chooses
 * lib_pick is called for the program each time, and once for the library that calls it
 * itself.
 */
#include "lib/test.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lib_pick(int n), lib_twice(int n);

int main(int argc, char **argv)
{
	char path[PATH_MAX + 32] = "";
	char *again[] = {argv[0], "again", NULL};
	int sum = 0;

	if (argc == 1) {
		CHECK(readlink("/proc/self/exe", path, PATH_MAX) > 0);
		if (!strstr(path, "tag")) {
			strcpy(strrchr(path, '/'), "/libwatcher.so");
			CHECK(setenv("LD_AUDIT", path, 1) == 0);
		}
		execv("/proc/self/exe", again);
		return 1;
	}
	for (int i = 0; i < 1000; i++)
		sum += lib_pick(i) + lib_twice(i);
	printf("sum %d\n", sum);
	return 0;
}
