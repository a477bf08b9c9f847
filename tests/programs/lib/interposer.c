/*
 * Stands before the C library's a64l and before libnext.so's function of the same name.
 */
#include <dlfcn.h>

int next_work(int n);
long a64l(const char *text);

int next_work(int n)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "next_work");

	return next(n) + 1000;
}

long a64l(const char *text)
{
	long (*next)(const char *) = (long (*)(const char *))dlsym(RTLD_NEXT, "a64l");

	return next(text) + 1;
}
