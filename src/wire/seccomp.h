/*
 * Recognition of calls that install a system call filter (seccomp(2), prctl(2)), or may:
 * that they fail is known only afterwards. Programs also probe the kernel, by calls that
 * install nothing or certainly fail: the filter's address is NULL then. Inline functions
 * only, also for code inside of programs.
 */
#ifndef TRAMMEL_WIRE_SECCOMP_H
#define TRAMMEL_WIRE_SECCOMP_H

#include <stdbool.h>
#include <stdint.h>

/* As in linux/prctl.h, linux/seccomp.h and asm/unistd.h. */
enum {
	WIRE_PR_SET_SECCOMP = 22,
	WIRE_PR_SET_DISPATCH = 59, /* PR_SET_SYSCALL_USER_DISPATCH */
	WIRE_FILTER_FOR_ALL = 1,   /* SECCOMP_FILTER_FLAG_TSYNC */
	WIRE_SYS_PRCTL = 157,
	WIRE_SYS_SECCOMP = 317,
};

/* Modes of prctl; seccomp's operations are one less. */
enum wire_seccomp_mode { WIRE_SECCOMP_STRICT = 1, WIRE_SECCOMP_FILTER = 2 };

static inline bool wire_mode_installs(uint32_t mode, uint64_t filter)
{
	return mode == WIRE_SECCOMP_STRICT || (mode == WIRE_SECCOMP_FILTER && filter);
}

/* Whether prctl with these arguments may install a filter. */
static inline bool wire_prctl_installs(uint64_t option, uint64_t mode, uint64_t filter)
{
	return (uint32_t)option == WIRE_PR_SET_SECCOMP &&
	       wire_mode_installs((uint32_t)mode, filter);
}

/* Whether seccomp with this first and third argument may install a filter. */
static inline bool wire_seccomp_installs(uint64_t operation, uint64_t filter)
{
	return wire_mode_installs((uint32_t)operation + 1, filter);
}

/* Whether a system call, by its number and first three arguments, may install a filter.
 */
static inline bool wire_call_installs(uint64_t number, uint64_t first, uint64_t second,
				      uint64_t third)
{
	return (number == WIRE_SYS_PRCTL && wire_prctl_installs(first, second, third)) ||
	       (number == WIRE_SYS_SECCOMP && wire_seccomp_installs(first, third));
}

/* Whether, by its number and first two arguments, the system call makes further calls of
 * the thread raise SIGSYS, to be handled by itself (syscall user dispatch). */
static inline bool wire_call_dispatches(uint64_t number, uint64_t first, uint64_t second)
{
	return number == WIRE_SYS_PRCTL && (uint32_t)first == WIRE_PR_SET_DISPATCH &&
	       second != 0;
}

/* Whether, by its number and second argument, the system call installs its filter for all
 * threads of the process. */
static inline bool wire_call_is_for_all(uint64_t number, uint64_t flags)
{
	return number == WIRE_SYS_SECCOMP && (flags & WIRE_FILTER_FOR_ALL);
}

#endif
