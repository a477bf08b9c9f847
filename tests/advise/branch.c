/*
 * For the rule `branch`. HIT: a branch by random data; MENDED: without a branch. MISS: a
 * branch that is taken as often, in turn.
 *
 * build: gcc -O1 -g
 * measure: -m edges
 * measure: --tool branch
 * finding: branch sum_large
 */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024 };
static int data[COUNT];
static volatile int passed;

__attribute__((noinline)) static long sum_large(void)
{
	long sum = 0;

	for (int i = 0; i < COUNT; i++) {
#ifdef MENDED
		sum += data[i] & -(data[i] >= 128);
#else
		if (data[i] >= 128) {
			passed = i;
			sum += data[i];
		}
#endif
	}
	return sum;
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 100;
	unsigned long random = 1;
	long sum = 0;

	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < COUNT; i++) {
			random = random * 6364136223846793005ul + 1442695040888963407ul;
#ifdef MISS
			data[i] = i % 2 ? 200 : 100;
#else
			data[i] = (int)(random >> 56);
#endif
		}
		sum += sum_large();
	}
	printf("%ld\n", sum);
	return 0;
}
