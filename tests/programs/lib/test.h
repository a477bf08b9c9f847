/* What the test programs share. */
#ifndef TEST_H
#define TEST_H

#ifdef __cplusplus
#include <cstdio>
#endif
#include <stdio.h>
#include <stdlib.h>

/* A function that keeps its own entry, and whose calls are all made. */
#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

/*
 * Makes a function longer than a jump, if it would be the last one and have no padding.
 */
#define ROOM() __asm__ volatile("nopl 64(%%rax)" ::: "memory")

/* Ends the program if the condition does not hold. Not for signal handlers. */
#define CHECK(condition)                                                                 \
	do {                                                                             \
		if (!(condition)) {                                                      \
			printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                                         \
		}                                                                        \
	} while (0)

/* Ends the program: this machine cannot do what the test is about. */
#define SKIP(why)                                                                        \
	do {                                                                             \
		printf("%s\n", why);                                                     \
		fflush(stdout);                                                          \
		_Exit(77);                                                               \
	} while (0)

#endif
