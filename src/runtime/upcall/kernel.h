/* System calls where no other library may be entered: without errno, in signal handlers,
 * in threads that the C library does not know. */
#ifndef TRAMMEL_RUNTIME_UPCALL_KERNEL_H
#define TRAMMEL_RUNTIME_UPCALL_KERNEL_H

#include <stdint.h>
#include <sys/syscall.h>

/* Makes the system call `number`; returns what the kernel does: -errno for errors. */
static inline long kernel_call(long number, uintptr_t a, uintptr_t b, uintptr_t c,
			       uintptr_t d, uintptr_t e, uintptr_t f)
{
	register uintptr_t fourth __asm__("r10") = d;
	register uintptr_t fifth __asm__("r8") = e;
	register uintptr_t sixth __asm__("r9") = f;
	long result = number;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return result;
}

/* The same with three arguments. */
static inline long kernel_call3(long number, uintptr_t a, uintptr_t b, uintptr_t c)
{
	return kernel_call(number, a, b, c, 0, 0, 0);
}

/* Returns the kernel's number of the calling thread. */
static inline uint32_t kernel_thread(void)
{
	return (uint32_t)kernel_call3(SYS_gettid, 0, 0, 0);
}

#endif
