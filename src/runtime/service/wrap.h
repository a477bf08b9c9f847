/*
 * Calls of functions, seen where they are made: the entries of the global offset tables
 * of all modules that lead to a function lead to a wrapper from then on. So a program
 * that asks for no such service is not touched. Not seen: calls through pointers that the
 * program took before, and calls inside of a library that do not go through its table.
 */
#ifndef TRAMMEL_RUNTIME_WRAP_H
#define TRAMMEL_RUNTIME_WRAP_H

#include <stddef.h>

struct wrap {
	const char *name;
	void *wrapper;
	void **real; /* gets the function's address; NULL before */
};

/* Puts wrappers into all modules that are there. Those that come later: wrap_again().
 * Never taken back: wrappers pass on what nobody measures. */
void wrap_install(const struct wrap *wraps, size_t count);
/* The same, in modules that came since. */
void wrap_again(void);

#endif
