// build: gcc -O2 -pthread
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// output: loaded 200, threads 800
// expect: function=plugin_work calls=200
// expect: function=plugin_helper calls=2000
// expect: function=short_lived calls=800
/* Threads end while another loads and unloads a library. */
#include "lib/test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static char path[4096];

static void *load(void *argument)
{
	int *loaded = argument;

	for (int i = 0; i < 200; i++) {
		void *library = dlopen(path, RTLD_NOW);
		int (*work)(int) = (int (*)(int))dlsym(library, "plugin_work");

		*loaded += work(0) == 45;
		dlclose(library);
	}
	return NULL;
}

KEPT static void *short_lived(void *argument)
{
	return argument;
}

int main(int count, char **arguments)
{
	int loaded = 0, ended = 0;
	pthread_t loader;

	CHECK(count == 1);
	*strrchr(arguments[0], '/') = '\0';
	snprintf(path, sizeof(path), "%s/libplugin1.so", arguments[0]);
	CHECK(pthread_create(&loader, NULL, load, &loaded) == 0);
	for (int i = 0; i < 800; i++) {
		pthread_t thread;

		CHECK(pthread_create(&thread, NULL, short_lived, NULL) == 0);
		ended += pthread_join(thread, NULL) == 0;
	}
	pthread_join(loader, NULL);
	printf("loaded %d, threads %d\n", loaded, ended);
	return 0;
}
