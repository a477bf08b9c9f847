/*
 * Heat in a rod, by OpenMP: where the threads' time goes, in the program's own regions.
 *
 *     clang -O2 -fopenmp heat.c -o heat
 *     trammel run -m openmp -o heat.trm -- ./heat
 *     trammel report heat.trm
 *
 * Or without trammel run: TRAMMEL_CONFIG=openmp-report LD_PRELOAD=libtrammel.so.0 ./heat
 */
#include <trammel/annotate.h>

#include <stdio.h>

enum { CELLS = 4096, STEPS = 100 };

static double now[CELLS + 2], next[CELLS + 2];

static void step(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 1; i <= CELLS; i++)
			next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
#pragma omp for
		for (int i = 1; i <= CELLS; i++)
			now[i] = next[i];
	}
}

int main(void)
{
	double sum = 0;

	now[CELLS / 2] = 1000;
	{
		TRM_REGION("solve");
		for (int i = 0; i < STEPS; i++)
			step();
	}
	for (int i = 1; i <= CELLS; i++)
		sum += now[i];
	printf("%.6f\n", sum);
	return 0;
}
