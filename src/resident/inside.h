/*
 * Declarations shared by the files of the resident.
 */
#ifndef TRAMMEL_RESIDENT_INSIDE_H
#define TRAMMEL_RESIDENT_INSIDE_H

#include "wire/layout.h"

#include <stdbool.h>
#include <stddef.h>

#define SYS_rt_sigprocmask 14
#define EPERM              1
#define EINVAL             22
#define ENOSYS             38

static inline int64_t system_call(uint64_t number, const uint64_t arguments[6])
{
	int64_t result;
	register uint64_t r10 __asm__("r10") = arguments[3];
	register uint64_t r8 __asm__("r8") = arguments[4];
	register uint64_t r9 __asm__("r9") = arguments[5];

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(arguments[0]), "S"(arguments[1]),
			   "d"(arguments[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* Whether 8 bytes at `address` can be read. rt_sigprocmask(2) copies the mask before it
 * rejects the operation. */
static inline int is_readable(uint64_t address)
{
	uint64_t arguments[6] = {(uint64_t)-1, address, 0, 8, 0, 0};

	return system_call(SYS_rt_sigprocmask, arguments) == -EINVAL;
}

/* Restores original return addresses in the frames from `frame` outward; `frame` has the
 * registers at a function's entry. */
void look_through(struct wire_bank *bank, const struct wire_registers *frame);

/* Whether all pages from `place` to the end of the thread's own stack can be read. They
 * are probed one by one, once, while the thread may make system calls: alternate stacks
 * and stacks of coroutines may lie below the stack, with its guard page between. */
bool look_know_stack(struct wire_bank *bank, uint64_t place);

/* Makes the request WIRE_HOOK_LAZY for a thread that may make no system call: the tracer
 * polls for it. */
void ask_quietly(struct wire_bank *bank, const struct wire_registers *frame);

/* The row of the function that contains a link-time address; NULL if there is none. */
const struct wire_way *way_around(const struct wire_ways *ways, uint64_t address);

/* Whether a text is mapped and has its patches. */
int is_patched(const struct wire_undo *undo);

#define FUTEX_OWNER_DIED 0x40000000u

static inline int tracer_died(const struct wire_control *control)
{
	return (__atomic_load_n(&control->owner[0], __ATOMIC_ACQUIRE) &
		FUTEX_OWNER_DIED) != 0;
}

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

/* The bank of the current thread. */
static inline struct wire_bank *own_bank(void)
{
	uint64_t self;

	__asm__("mov %%gs:0, %0" : "=r"(self));
	return (struct wire_bank *)(uintptr_t)self;
}

#endif
