// build: gcc -O2 lib/faults.S
// status: signal SIGSEGV
// expect: function=fault_2 calls=1
// expect: function=work calls=100
// expect-process: program=fault_fatal state="killed by SIGSEGV"
/* A fault that kills the program: what was counted until then is in the profile. */
#include "lib/test.h"

int fault_2(const int *word);

KEPT static int work(int n)
{
	return n + 1;
}

int main(void)
{
	volatile int n = 0;

	for (int i = 0; i < 100; i++)
		n = work(n);
	printf("before\n");
	fflush(stdout);
	return fault_2((const int *)8);
}
