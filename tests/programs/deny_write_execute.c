// build: gcc -O2
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// output: denied, plugin 45
// expect: function=plugin_work calls=1
// expect: function=plugin_helper calls=10
// expect: function=before_and_after calls=200
/*
 * PR_SET_MDWE: memory may not become executable any more; a library can still be loaded.
 */
#include "lib/test.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE              65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

KEPT static void before_and_after(void)
{
	ROOM();
}

int main(int count, char **arguments)
{
	char path[4096];
	void *library, *page;
	int (*work)(int);

	for (int i = 0; i < 100; i++)
		before_and_after();
	if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0))
		SKIP("this kernel has no PR_SET_MDWE");
	for (int i = 0; i < 100; i++)
		before_and_after();
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	CHECK(mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0);
	CHECK(count == 1);
	*strrchr(arguments[0], '/') = '\0';
	snprintf(path, sizeof(path), "%s/libplugin1.so", arguments[0]);
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	work = (int (*)(int))dlsym(library, "plugin_work");
	printf("denied, plugin %d\n", work(0));
	return 0;
}
