// build: gcc -O2
// build(fixed): gcc -O2 -no-pie -fno-pie
// build(static): gcc -O2 -static
// build(static-pie): gcc -O2 -static-pie
// build(high): gcc -O2 -no-pie -fno-pie -Wl,-Ttext-segment=0x20000000
// output: 96 steps of 64 MiB
// expect: function=work calls=96
/* The heap (brk) grows by 6 GiB, of which little is used: nothing of ours lies above it.
 */
#include "lib/test.h"

#include <stdint.h>
#include <unistd.h>

enum { STEPS = 96, STEP = 64 << 20 };

KEPT long work(long x)
{
	return x * 3 + (x >> 1);
}

int main(void)
{
	long steps = 0, sum = 0;

	while (steps < STEPS) {
		char *more = sbrk(STEP);

		if (more == (void *)-1)
			break;
		more[4096] = 1;
		sum += work(steps++);
	}
	printf("%ld steps of 64 MiB\n", steps);
	return sum ? 0 : 1;
}
