/*
 * Asks what system call filters there are, as browsers do, which installs none, and loads
 * a library that sets the GS base.
 */
#include "ask_filters.h"
#include "beside.h"

enum { SIZE = 1 << 20 };

int main(int count, char **arguments)
{
	size_t (*run)(char *memory, size_t size);

	CHECK(count == 1);
	ask_filters();
	run = (size_t(*)(char *, size_t))load_beside(arguments[0], "libgs_sandbox.so",
						     "sandbox_run");
	printf("changed %zu\n", run(malloc(SIZE), SIZE));
	return 0;
}
