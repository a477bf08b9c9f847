/*
 * For the rule `repeated`. HIT: each phase computes the same table anew; MENDED: the
 * first one does. MISS: each phase computes as much of it as it needs.
 *
 * build: gcc -O2 -g
 * measure: -m blocks --by-region=repeated:phase_*
 * finding: repeated prepare
 */
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 4096 };
static double table[SIZE];
static int rounds = 20;

__attribute__((noinline)) static void prepare(int size)
{
#ifdef MENDED
	if (table[SIZE - 1] > 0)
		return;
#endif
	for (int i = 0; i < size; i++)
		table[i] = 1.0 / (i + 1);
}

__attribute__((noinline)) static double sum_up(int from)
{
	double sum = 0;

	for (int i = from; i < SIZE; i += 8)
		sum += table[i];
	return sum;
}

#ifdef MISS
#define PHASE(name, number)                                                              \
	__attribute__((noinline)) double phase_##name(void)                              \
	{                                                                                \
		prepare(SIZE / (number));                                                \
		return sum_up(number);                                                   \
	}
#else
#define PHASE(name, number)                                                              \
	__attribute__((noinline)) double phase_##name(void)                              \
	{                                                                                \
		prepare(SIZE);                                                           \
		return sum_up((number)*900);                                             \
	}
#endif
PHASE(first, 1)
PHASE(second, 2)
PHASE(third, 3)
PHASE(fourth, 4)

int main(int argc, char **argv)
{
	double sum = 0;

	if (argc > 1)
		rounds = atoi(argv[1]);
	for (int i = 0; i < rounds; i++)
		sum += phase_first() + phase_second() + phase_third() + phase_fourth();
	printf("%g\n", sum);
	return 0;
}
