/*
 * For the rule `one-trip`. HIT: rows of a sparse matrix that nearly all have one element;
 * MENDED: one element has code of its own. MISS: rows with many elements.
 *
 * build: gcc -O2 -g
 * measure: -m edges
 * finding: one-trip multiply
 */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, MANY = 40 };
#ifdef MISS
enum { USUAL = MANY };
#else
enum { USUAL = 1 };
#endif

static int starts[ROWS + 1], columns[ROWS * MANY];
static double values[ROWS * MANY], vector[ROWS], result[ROWS];

__attribute__((noinline)) static void multiply(void)
{
	for (int row = 0; row < ROWS; row++) {
		double sum = 0;

#ifdef MENDED
		if (__builtin_expect(starts[row + 1] - starts[row] == 1, 1)) {
			result[row] = values[starts[row]] * vector[columns[starts[row]]];
			continue;
		}
#endif
		for (int at = starts[row]; at < starts[row + 1]; at++)
			sum += values[at] * vector[columns[at]];
		result[row] = sum;
	}
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 200;
	double sum = 0;
	int at = 0;

	for (int row = 0; row < ROWS; row++) {
		vector[row] = row;
		for (int i = 0; i < (row == 7 ? 3 : USUAL); i++) {
			columns[at] = (row + i) % ROWS;
			values[at++] = i + 1;
		}
		starts[row + 1] = at;
	}
	for (int i = 0; i < rounds; i++)
		multiply();
	for (int row = 0; row < ROWS; row++)
		sum += result[row];
	printf("%g\n", sum);
	return 0;
}
