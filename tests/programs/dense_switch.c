// build: gcc -O2
// build(O0): gcc -O0
// build(nopie): gcc -O2 -no-pie -fno-pie
// build(clang): clang -O2
// build(clang-nopie): clang -O2 -no-pie -fno-pie
// output: sum 8032
// expect: function=choose calls=10000
// expect: function=leaf calls=5000
/* Dense switches, which compilers turn into jump tables: relative ones in PIC, else
 * absolute. */
#include "lib/test.h"

KEPT static int leaf(int n)
{
	ROOM();
	return n + 1;
}

KEPT static int choose(int which, int n)
{
	switch (which) {
	case 0:
		return leaf(n) & 3;
	case 1:
		return n / 7 & 3;
	case 2:
		return leaf(n * 3) & 1;
	case 3:
		__asm__ volatile("");
		return n & 1;
	case 4:
		return leaf(n - 5) & 1;
	case 5:
		return n * 11 & 1;
	case 6:
		return leaf(~n) & 1;
	case 7:
		return (n ^ 0x55) & 1;
	case 8:
		return leaf(n << 2) & 1;
	case 9:
		return n % 13 & 1;
	default:
		return 100;
	}
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10000; i++)
		sum += choose(i % 10, i);
	printf("sum %d\n", sum);
	return 0;
}
