/*
 * For the rule `cold`. HIT: a hot function with much code for errors that never happen in
 * its midst, which needs registers to be saved; MENDED: that is a function of its own.
 * MISS: the code is executed.
 *
 * build: gcc -O2 -g -fno-guess-branch-probability -fno-shrink-wrap
 * measure: -m blocks
 * finding: cold take
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long log_words[64];
static volatile unsigned long sink;

#ifdef MENDED
__attribute__((cold, noinline))
#else
static inline __attribute__((always_inline))
#endif
unsigned long
complain(unsigned long a, unsigned long b, unsigned long c)
{
	for (unsigned i = 0; i < 8; i++) {
		log_words[i] = a * 3 + b;
		log_words[i + 8] = b * 5 + c;
		log_words[i + 16] = c * 7 + a;
		log_words[i + 24] = (a ^ b) * 11;
		log_words[i + 32] = (b ^ c) * 13;
		log_words[i + 40] = (c ^ a) * 17;
		sink = log_words[(a + i) % 64] + log_words[(b + i) % 64];
		a = a * 31 + log_words[(c + i) % 64];
		b = b * 37 + log_words[(a + i) % 64];
		c = c * 41 + log_words[(b + i) % 64];
		sink = a / (b | 1) + c / (a | 1) + b / (c | 1);
	}
	return a + b + c;
}

__attribute__((noinline)) unsigned long take(unsigned long a, unsigned long b,
					     unsigned long c)
{
	unsigned long sum = a + b;

	if (c > 1000000)
		sum += complain(a, b, c);
	if (a == 77777777)
		sum ^= complain(b, c, a);
	return sum * 3 + c;
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? (unsigned long)atol(argv[1]) : 100000;
	unsigned long sum = 0;

	for (unsigned long i = 0; i < rounds; i++)
#ifdef MISS
		sum += take(i % 2 ? 77777777 : i, i, i % 3 ? 2000000 : 5);
#else
		sum += take(i, i + 1, i % 5);
#endif
	printf("%lu\n", sum);
	return 0;
}
