/*
 * For the rule `inline`. HIT: a small function that one place calls; MENDED: it is
 * inlined there. MISS: the same function, called from four places alike, and a large one
 * from one.
 *
 * build: gcc -O2 -g
 * measure: -m blocks,calls
 * finding: inline mix
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef MENDED
static inline __attribute__((always_inline))
#else
__attribute__((noinline))
#endif
unsigned
mix(unsigned a, unsigned b)
{
	return (a ^ b) * 16777619u;
}

#ifdef MISS
__attribute__((noinline)) unsigned large(unsigned a)
{
	for (int i = 0; i < 40; i++)
		a = (a >> 3 ^ a) * 31 + (unsigned)i;
	return a;
}
#endif

int main(int argc, char **argv)
{
	const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 200000;
	unsigned hash = 2166136261u;

	for (unsigned i = 0; i < rounds; i++) {
#ifdef MISS
		hash = mix(hash, i);
		hash = mix(hash >> 1, i + 1);
		hash = mix(hash >> 2, i + 2);
		hash = mix(hash >> 3, i + 3);
		hash = large(hash);
#else
		hash = mix(hash, i);
#endif
	}
	printf("%u\n", hash);
	return 0;
}
