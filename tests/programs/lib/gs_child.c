/* Sets the GS base with a system call and uses it. */
#include "test.h"

#include <asm/prctl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t word = 70;

int main(void)
{
	uint64_t value;

	CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, &word) == 0);
	for (volatile int i = 0; i < 100000; i++)
		;
	__asm__ volatile("movq %%gs:0, %0" : "=r"(value));
	printf("child %d\n", (int)value);
	return (int)value;
}
