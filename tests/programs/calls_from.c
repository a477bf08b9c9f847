// build: gcc -O2
// build(lazy): gcc -O2 -Wl,-z,lazy
// build(clang): clang -O2
// library: libarcs.so lib/arcs.c gcc -O2
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// output: sum 4062
// expect: function=leaf calls=950
// expect-arc: function=leaf caller=twice calls=200 kind=direct
// expect-arc: function=leaf caller=by_pointer calls=100 kind=indirect
// expect-arc: function=other caller=by_pointer calls=100 kind=indirect
// expect-arc: function=leaf caller=by_jump calls=100 kind=jump
// expect-arc: function=leaf caller=arcs_work calls=400 kind=indirect
// expect-arc: function=leaf caller=on_signal calls=50 kind=direct
// expect-arc: function=leaf caller=jump_away calls=100 kind=direct
// expect-arc: function=arcs_work caller=use_library calls=200 kind=plt
// expect-arc: function=deep caller=deep calls=90 kind=direct
// expect-arc: function=deep caller=main calls=10 kind=direct
// expect-arc: function=jump_away caller=come_back calls=100 kind=direct
// expect-arc: function=on_signal calls=50 kind=signal
// expect-arc: function=plugin_work caller=use_plugin calls=60 kind=indirect
// expect-arc: function=plugin_work calls=60
/* Functions are called in all the ways that there are, so often from each place. */
#include "lib/test.h"

#include <dlfcn.h>
#include <libgen.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

int arcs_work(int (*back)(int), int n);

/* So far from the others that a jump to it takes five bytes. */
KEPT __attribute__((aligned(1024))) int leaf(int n);
KEPT __attribute__((aligned(1024))) int leaf(int n)
{
	ROOM();
	return n & 7;
}

KEPT __attribute__((aligned(1024))) static int other(int n)
{
	ROOM();
	return n & 3;
}

KEPT static int twice(int n)
{
	int sum = leaf(n);

	ROOM();
	return sum + leaf(n + 1);
}

KEPT static int by_pointer(int (*function)(int), int n)
{
	return function(n) + 1;
}

KEPT static int by_jump(int n)
{
	ROOM();
	return leaf(n + 1);
}

KEPT static int use_library(int n)
{
	return arcs_work(leaf, n) + 1;
}

KEPT static int deep(int n)
{
	int below = n ? deep(n - 1) : 0;

	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

static volatile sig_atomic_t signals;

KEPT static void on_signal(int number)
{
	ROOM();
	signals += leaf(number) + 1;
}

static jmp_buf place;

KEPT static void jump_away(int n)
{
	longjmp(place, leaf(n) + 1);
}

KEPT static int come_back(int n)
{
	int came = setjmp(place);

	if (!came)
		jump_away(n);
	return came;
}

KEPT static int use_plugin(const char *folder)
{
	char path[4096];
	int (*work)(int), sum = 0;
	void *library;

	snprintf(path, sizeof(path), "%s/libplugin1.so", folder);
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	*(void **)&work = dlsym(library, "plugin_work");
	CHECK(work);
	for (int i = 0; i < 20; i++)
		sum += work(1) != 0;
	dlclose(library);
	return sum;
}

int main(int argc, char **argv)
{
	char *program = strdup(argv[0]), *folder = dirname(program);
	int sum = 0;

	(void)argc;
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 100; i++) {
		sum += twice(i) + by_pointer(leaf, i) + by_pointer(other, i);
		sum += by_jump(i) + use_library(i) + use_library(i + 1) + come_back(i);
	}
	for (int i = 0; i < 10; i++)
		sum += deep(9);
	for (int i = 0; i < 50; i++)
		raise(SIGUSR1);
	for (int i = 0; i < 3; i++)
		sum += use_plugin(folder);
	printf("sum %d\n", sum + (int)signals);
	free(program);
	return 0;
}
