// build: gcc -O2
// build(O0): gcc -O0
// build(static): gcc -O2 -static
// build(fixed): gcc -O1 -no-pie -fcf-protection=none
// output: word 71
// expect: function=turned calls=1001
// expect-absent: after
// expect-process: program=gs_wrapped state=released reason=GS
/*
 * Sets the GS base by functions that make any system call, with the arguments in an order
 * of their own: whatever else they do is measured.
 */
#include "lib/test.h"

#include <asm/prctl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t word = 71;

KEPT static uint64_t after(void)
{
	uint64_t value;

	__asm__ volatile("movq %%gs:0, %0" : "=r"(value));
	return value;
}

KEPT static long turned(void *second, long first, long number)
{
	long result;

	ROOM();
	do
		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(number), "D"(first), "S"(second)
				 : "rcx", "r11", "memory");
	while (result == -4);
	return result;
}

int main(void)
{
	for (int i = 0; i < 1000; i++)
		CHECK(turned(NULL, ARCH_SET_GS, SYS_getppid) == getppid());
	CHECK(turned(&word, ARCH_SET_GS, SYS_arch_prctl) == 0);
	printf("word %d\n", (int)after());
	return 0;
}
