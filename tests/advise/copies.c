/*
 * For the rule `copies`. HIT: copies that have 16 bytes nearly always; MENDED: 16 has
 * code of its own. MISS: copies of many sizes.
 *
 * build: gcc -O2 -g -fno-builtin-memcpy
 * measure: -m blocks
 * measure: --probe 'copies:memcpy@call { top(8) by arg2, srcline }'
 * finding: copies
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char from[4096], to[4096];

__attribute__((noinline)) static void take(size_t at, size_t size)
{
#ifdef MENDED
	if (size == 16) {
		__builtin_memcpy(to + at, from + at, 16);
		return;
	}
#endif
	memcpy(to + at, from + at, size);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 100000;
	unsigned sum = 0;

	for (int i = 0; i < 4096; i++)
		from[i] = (char)i;
	for (int i = 0; i < rounds; i++) {
#ifdef MISS
		take((size_t)i % 512, 1 + (size_t)i % 200);
#else
		take((size_t)i % 512, i % 100 ? 16 : 24);
#endif
		sum += (unsigned char)to[i % 512];
	}
	printf("%u\n", sum);
	return 0;
}
