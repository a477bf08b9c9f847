// build: gcc -O2
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// plugin: libplugin2.so lib/plugin.c gcc -O2 -DNUMBER=2
// output: sum 662000
// expect: function=plugin_work calls=100 module=libplugin1
// expect: function=plugin_work calls=100 module=libplugin2
// expect: function=plugin_helper calls=1000 module=libplugin1
// expect: function=plugin_helper calls=1000 module=libplugin2
/*
 * The program has mapped the addresses below its libraries, where trampolines of the
 * first plugin would go, and then all addresses in reach but for a hole, before it loads
 * the second one.
 */
#include "lib/test.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define MIB  (1ull << 20)
#define STEP (16 * MIB)

/* Takes [from, to) MiB below the libraries, as far as it is free. */
static void take(uintptr_t libraries, unsigned long long from, unsigned long long to)
{
	for (unsigned long long at = from * MIB; at < to * MIB; at += STEP)
		mmap((void *)(libraries - at - STEP), STEP, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
		     -1, 0);
}

KEPT static int use(const char *folder, int number)
{
	char path[4096];
	int (*work)(int);
	void *library;

	snprintf(path, sizeof(path), "%s/libplugin%d.so", folder, number);
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	work = (int (*)(int))dlsym(library, "plugin_work");
	CHECK(work);
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += work(number * 100 + i);
	return sum;
}

int main(int count, char **arguments)
{
	uintptr_t libraries = (uintptr_t)dlsym(RTLD_DEFAULT, "malloc") & ~(STEP - 1);
	int sum = 0;

	(void)count;
	*strrchr(arguments[0], '/') = '\0';
	take(libraries, 512, 1216);
	sum += use(arguments[0], 1);
	take(libraries, 512, 1424);
	take(libraries, 1456, 2048);
	sum += use(arguments[0], 2);
	printf("sum %d\n", sum);
	return 0;
}
