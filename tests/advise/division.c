/*
 * For the rule `division`. HIT: a divisor that is 10 nearly always; MENDED: 10 has code
 * of its own. MISS: divisors that differ.
 *
 * build: gcc -O2 -g
 * measure: -m blocks
 * measure: -m values:exact --only *:digits
 * finding: division digits
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int digits(unsigned long number, unsigned long base)
{
	int count = 0;

#ifdef MENDED
	if (base == 10) {
		do {
			number /= 10;
			count++;
		} while (number);
		return count;
	}
#endif
	do {
		number /= base;
		count++;
	} while (number);
	return count;
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 20000;
	long sum = 0;

	for (int i = 0; i < rounds; i++)
#ifdef MISS
		sum += digits((unsigned long)i * 7919, 3 + (unsigned long)i % 40);
#else
		sum += digits((unsigned long)i * 7919, i % 1000 ? 10 : 16);
#endif
	printf("%ld\n", sum);
	return 0;
}
