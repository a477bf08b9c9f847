/*
 * Asks what system call filters there are, as browsers do, which installs none, and loads
 * a library that sets the GS base.
 */
#include "ask_filters.h"
#include "test.h"

#include <dlfcn.h>
#include <string.h>

enum { SIZE = 1 << 20 };

int main(int count, char **arguments)
{
	size_t (*run)(char *memory, size_t size);
	char path[4096];
	void *library;

	CHECK(count == 1);
	ask_filters();
	*strrchr(arguments[0], '/') = '\0';
	snprintf(path, sizeof(path), "%s/libgs_sandbox.so", arguments[0]);
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	run = (size_t(*)(char *, size_t))dlsym(library, "sandbox_run");
	CHECK(run);
	printf("changed %zu\n", run(malloc(SIZE), SIZE));
	return 0;
}
