/*
 * What all files of the resident use, inlined: system calls, the bank of the thread.
 */
#ifndef TRAMMEL_RESIDENT_INSIDE_H
#define TRAMMEL_RESIDENT_INSIDE_H

#include "resident/syscalls.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/registers.h"

#include <stdbool.h>
#include <stddef.h>

/* Makes a system call; returns what the kernel does: negative errno. */
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

/* Tells whether 8 bytes at `address` can be read. rt_sigprocmask(2) copies the mask
 * before it rejects the operation. */
static inline int is_readable(uint64_t address)
{
	uint64_t arguments[6] = {(uint64_t)-1, address, 0, 8, 0, 0};

	return system_call(SYS_rt_sigprocmask, arguments) == -EINVAL;
}

#define FUTEX_OWNER_DIED 0x40000000u

/* Tells whether the kernel has said that the tracer is dead. */
static inline int tracer_died(const struct wire_control *control)
{
	return (__atomic_load_n(&control->owner[0], __ATOMIC_ACQUIRE) &
		FUTEX_OWNER_DIED) != 0;
}

/* Copies registers. Not an assignment: compilers make it a call of memcpy. */
static inline void copy_registers(struct wire_registers *to,
				  const struct wire_registers *from)
{
	uint64_t words = sizeof(*to) / sizeof(uint64_t);

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/* Returns the bank of the current thread. */
static inline struct wire_bank *own_bank(void)
{
	uint64_t self;

	__asm__("mov %%gs:0, %0" : "=r"(self));
	return (struct wire_bank *)(uintptr_t)self;
}

#endif
