// build: gcc -O0 -fsanitize=address
// build(only): gcc -O0 -fsanitize=leak
// status: exit 23
// normalise: pids addresses
// not-preloaded: its sanitizer refuses to work behind a preloaded library
/*
 * LeakSanitizer stops the program with ptrace from a thread-like clone of its own: it
 * must be able to, with the output of the bare run.
 */
#include "lib/test.h"

#include <string.h>

const char *__asan_default_options(void);
const char *__lsan_default_options(void);

const char *__asan_default_options(void)
{
	return "exitcode=23";
}

const char *__lsan_default_options(void)
{
	return "exitcode=23";
}

KEPT static void leak(int size)
{
	char *volatile memory = malloc(size);

	memset(memory, 1, size);
	memory = NULL;
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		leak(100);
	puts("leaking");
	return 0;
}
