// build: gcc -O2
// build(O0): gcc -O0
// build(static): gcc -O2 -static
// build(fixed): gcc -O1 -no-pie -fcf-protection=none
// output: word 70
// expect: function=before calls=1000
// expect-absent: after
// expect-process: program=gs_computed state=released reason=GS
/* Sets the GS base by a system call whose number and argument are computed. */
#include "lib/test.h"

#include <asm/prctl.h>
#include <stdint.h>
#include <sys/syscall.h>

static uint64_t word = 70;
static volatile long number = SYS_arch_prctl - 1, code = ARCH_SET_GS - 1;

KEPT static int before(int number)
{
	ROOM();
	return number + 1;
}

KEPT static uint64_t after(void)
{
	uint64_t value;

	__asm__ volatile("movq %%gs:0, %0" : "=r"(value));
	return value;
}

KEPT static long set(void)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number + 1), "D"(code + 1), "S"(&word)
			 : "rcx", "r11", "memory");
	return result;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum = before(sum);
	CHECK(sum == 1000 && set() == 0);
	printf("word %d\n", (int)after());
	return 0;
}
