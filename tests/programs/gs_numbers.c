// build: gcc -O2
// build(O0): gcc -O0
// build(static): gcc -O1 -static
// build(fixed): gcc -O1 -no-pie -fcf-protection=none
// expect: function=multiply calls=1000
// expect: function=raw calls=1001
// expect-process: program=gs_numbers state="exited 0"
/*
 * The numbers of arch_prctl(ARCH_SET_GS) where they mean something else: as arguments of
 * other functions, of other calls, on ways that do not meet; and system calls whose
 * numbers are arguments.
 */
#include "lib/test.h"

#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int arch_prctl(int code, unsigned long *address);

KEPT static int multiply(int number, int code)
{
	return number * code;
}

KEPT static int add(int code, int number)
{
	return number + code;
}

/* The order of the arguments is that of syscall(2). */
KEPT static long raw(long number, long first, long second)
{
	long result;

	ROOM();
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second)
			 : "rcx", "r11", "memory");
	return result;
}

/* One of two system calls, neither of which is arch_prctl(ARCH_SET_GS). */
KEPT static long either(int which, void *place)
{
	long result;

	if (which) {
		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(SYS_arch_prctl), "D"(ARCH_GET_GS), "S"(place)
				 : "rcx", "r11", "memory");
	} else {
		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(SYS_close), "D"(ARCH_SET_GS)
				 : "rcx", "r11", "memory");
	}
	return result;
}

int main(void)
{
	unsigned long base = 1, kept = 0;
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		sum += multiply(158, ARCH_SET_GS) - add(ARCH_SET_GS, 158);
		CHECK(raw(SYS_getppid, SYS_arch_prctl, 0) == getppid());
	}
	CHECK(raw(SYS_close, ARCH_SET_GS, 0) < 0);
	CHECK(either(0, NULL) < 0 && either(1, &kept) == 0);
	CHECK(arch_prctl(ARCH_GET_FS, &base) == 0 && base > 1);
	printf("%ld\n", sum);
	return 0;
}
