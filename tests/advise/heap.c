/*
 * For the rule `heap`. HIT: a block for each round, which is freed at once; MENDED: one
 * for all. MISS: blocks that are kept.
 *
 * build: gcc -O2 -g
 * measure: --tool malloc
 * measure: -m blocks
 * finding: heap join
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MISS
static char *kept[20000];
#endif

__attribute__((noinline)) static unsigned join(int round, char *space)
{
	const size_t size = 40 + (size_t)round % 20;
#ifdef MENDED
	char *text = space;
#else
	char *text = malloc(size);
#endif
	unsigned sum;

	(void)space;
	memset(text, round % 100, size);
	sum = (unsigned char)text[size - 1];
#ifdef MISS
	kept[round % 20000] = text;
#elif !defined(MENDED)
	free(text);
#endif
	return sum;
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 20000;
	char space[64];
	unsigned sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += join(i, space);
	printf("%u\n", sum);
	return 0;
}
