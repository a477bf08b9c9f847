// build: gcc -O2 -fcf-protection=none
// build(Os): gcc -Os -fcf-protection=none
// build(clang): clang -O2
// output: turns 55000
// expect: function=count_down calls=1000 or-skipped
/* A loop whose head the compiler puts at the function's first instruction. */
#include "lib/test.h"

static volatile long turns;

KEPT void count_down(long *left)
{
	do {
		turns++;
	} while (--*left);
}

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		long left = i % 10 * 10 + 10;

		count_down(&left);
	}
	printf("turns %ld\n", turns);
	return 0;
}
