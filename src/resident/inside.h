/*
 * What the parts of the resident share.
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

/* Whether 8 bytes may be read. The kernel copies the mask before it looks at what to do
 * with it. */
static inline int is_readable(uint64_t address)
{
	uint64_t arguments[6] = {(uint64_t)-1, address, 0, 8, 0, 0};

	return system_call(SYS_rt_sigprocmask, arguments) == -EINVAL;
}

/* Return addresses become the original ones, from that of a function on which has just
 * been entered with these registers. */
void look_through(struct wire_bank *bank, const struct wire_registers *frame);

/* Whether all pages from a place up to the end of the thread's own stack can be read.
 * They are asked for one by one, once, while the thread may make system calls: alternate
 * stacks and those of coroutines may lie below the stack, and its guard page between. */
bool look_know_stack(struct wire_bank *bank, uint64_t place);

/* WIRE_HOOK_LAZY, of a thread that may make no system call: the tracer looks by
 * itself whether it is asked. */
void ask_quietly(struct wire_bank *bank, const struct wire_registers *frame);

/* The row of the function that holds a link-time address; NULL: none does. */
const struct wire_way *way_around(const struct wire_ways *ways, uint64_t address);

/* Whether a text is there, with its patches. */
int is_patched(const struct wire_undo *undo);

#define FUTEX_OWNER_DIED 0x40000000u

static inline int tracer_died(const struct wire_control *control)
{
	return (__atomic_load_n(&control->owner[0], __ATOMIC_ACQUIRE) &
		FUTEX_OWNER_DIED) != 0;
}

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

/* The bank of this thread. */
static inline struct wire_bank *own_bank(void)
{
	uint64_t self;

	__asm__("mov %%gs:0, %0" : "=r"(self));
	return (struct wire_bank *)(uintptr_t)self;
}

#endif
