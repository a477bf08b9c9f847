// build: gcc -O2
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// plugin: libplugin2.so lib/plugin.c gcc -O2 -DNUMBER=2 -Wl,-z,lazy
// plugin: libplugin3.so lib/plugin.c clang -O2 -DNUMBER=3
// output: sum 1427000
// expect: function=plugin_work calls=100 module=libplugin1
// expect: function=plugin_work calls=100 module=libplugin2
// expect: function=plugin_work calls=100 module=libplugin3
// expect: function=plugin_helper calls=1000 module=libplugin1
// expect: function=plugin_helper calls=1000 module=libplugin2
// expect: function=plugin_helper calls=1000 module=libplugin3
// expect: function=use calls=300
/*
 * Libraries loaded, called and unloaded in a loop: each comes to lie where another lay.
 */
#include "lib/test.h"

#include <dlfcn.h>
#include <string.h>

KEPT static int use(const char *folder, int number)
{
	char path[4096];
	int (*work)(int), result = 0;
	void *library;

	snprintf(path, sizeof(path), "%s/libplugin%d.so", folder, number);
	library = dlopen(path, number % 2 ? RTLD_NOW : RTLD_LAZY);
	if (!library)
		printf("%s\n", dlerror());
	CHECK(library);
	work = (int (*)(int))dlsym(library, "plugin_work");
	CHECK(work);
	result = work(number * 100);
	CHECK(dlclose(library) == 0);
	return result;
}

int main(int count, char **arguments)
{
	int sum = 0;

	CHECK(count == 1);
	*strrchr(arguments[0], '/') = '\0';
	for (int i = 0; i < 100; i++) {
		for (int number = 1; number <= 3; number++)
			sum += use(arguments[0], (i + number) % 3 + 1);
	}
	printf("sum %d\n", sum);
	return 0;
}
