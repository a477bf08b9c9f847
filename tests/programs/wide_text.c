// build: gcc -O2
// plugin: libwide.so lib/wide.S gcc -nostartfiles -nostdlib -Wl,-z,noseparate-code
// output: sum 196560 bytes ok
// expect: function=wide_first calls=250 module=libwide
// expect: function=wide_last calls=250 module=libwide
// expect: function=use calls=25
/*
 * A library of which only the middle of the text need be patched: loaded and unloaded in
 * a loop, at changing places, and looked at and called after a fork and from the child.
 * Its bytes on both sides of its functions must be its own.
 */
#include "lib/test.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOPS = 0x180000, CONSTANTS = 0x200000 };

static bool bytes_are_good(const unsigned char *nops, const unsigned long *constants)
{
	for (size_t i = 0; i < NOPS; i += 64)
		if (nops[i] != 0x90)
			return false;
	for (size_t i = 0; i < CONSTANTS / sizeof(*constants); i += 8)
		if (constants[i] != 0x1122334455667788)
			return false;
	return true;
}

KEPT static int use(void *library)
{
	int (*first)(int) = (int (*)(int))dlsym(library, "wide_first");
	int (*last)(int) = (int (*)(int))dlsym(library, "wide_last");
	int sum = 0;

	CHECK(first && last);
	CHECK(bytes_are_good(dlsym(library, "wide_nops"),
			     dlsym(library, "wide_constants")));
	for (int i = 0; i < 10; i++)
		sum += first(i * 30) + last(i * 30);
	return sum;
}

static int use_in_child(void *library)
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child)
		_exit(use(library) == 8190 ? 0 : 1);
	CHECK(waitpid(child, &status, 0) == child && !status);
	return use(library);
}

int main(int count, char **arguments)
{
	char path[4096];
	int sum = 0;

	CHECK(count == 1);
	*strrchr(arguments[0], '/') = '\0';
	snprintf(path, sizeof(path), "%s/libwide.so", arguments[0]);
	for (int i = 0; i < 24; i++) {
		/* The next one comes to lie elsewhere, or where the last one was. */
		void *taken = mmap(NULL, (size_t)(i % 3 + 1) << 12, PROT_READ,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		void *library = dlopen(path, i % 2 ? RTLD_NOW : RTLD_LAZY);

		CHECK(taken != MAP_FAILED && library);
		sum += i ? use(library) : use_in_child(library);
		CHECK(dlclose(library) == 0);
		if (i % 4 == 3)
			CHECK(munmap(taken, (size_t)(i % 3 + 1) << 12) == 0);
	}
	printf("sum %d bytes ok\n", sum);
	return 0;
}
