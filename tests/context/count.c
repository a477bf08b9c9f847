/*
 * Preloaded: counts what a program takes from the heap, between its calls of
 * syscall(SYS_getpgid, -1) and -3. The sum is printed at the latter.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

static unsigned long count;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	count++;
	return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
	count++;
	return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
	count++;
	return __libc_realloc(old, size);
}

__attribute__((constructor)) static void begin(void)
{
	void *volatile memory = malloc(10);

	free(memory);
	if (count < 1)
		abort();
}

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	static unsigned long before;
	long words[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(list, long);
	va_end(list);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_getpgid && words[0] == -1)
		before = count;
	if (number == SYS_getpgid && words[0] == -3) {
		unsigned long between = count - before;

		printf("%lu allocations\n", between);
	}
	return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
