// build: gcc -O2
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// output: work 45
// expect: function=plugin_helper calls=10 module=libplugin1
/* Who asks about system call filters has none: what is loaded then is measured. */
#include "lib/ask_filters.h"

#include <dlfcn.h>
#include <string.h>

int main(int count, char **arguments)
{
	int (*work)(int);
	char path[4096];
	void *library;

	CHECK(count == 1);
	ask_filters();
	*strrchr(arguments[0], '/') = '\0';
	snprintf(path, sizeof(path), "%s/libplugin1.so", arguments[0]);
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	work = (int (*)(int))dlsym(library, "plugin_work");
	CHECK(work);
	printf("work %d\n", work(0));
	return 0;
}
