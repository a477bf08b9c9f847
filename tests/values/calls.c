/* Code with a system call in its midst. build: gcc -O1 -g */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

static uint64_t call_kernel(uint64_t number)
{
	__asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
	return number;
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint64_t sum = 0, wrong = 0;

	for (unsigned long r = 0; r < rounds * 1000; r++) {
		for (int i = 0; i < 100; i++)
			sum = sum * 5 + (r ^ sum >> 3);
		wrong += call_kernel(SYS_getppid) != call_kernel(SYS_getppid);
	}
	printf("%016lx %lu\n", (unsigned long)sum, (unsigned long)wrong);
	return 0;
}
