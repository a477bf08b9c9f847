/*
 * A program that says what it does, with trammel's own header: nothing is linked.
 *
 *     gcc -O2 -I../include regions.c -o regions
 *     trammel run -m regions -- ./regions
 */
#include <trammel/annotate.h>

#include <stdio.h>

static double solve(double x)
{
	TRM_FUNCTION(); /* a region with the function's name, until it returns */
	for (int i = 0; i < 1000; i++)
		x = x / 2 + 1 / x;
	return x;
}

int main(void)
{
	double sum = 0;

	TRM_REGION("main loop");
	for (int step = 0; step < 10; step++) {
		TRM_LOOP("timestep", step)
		{
			trm_begin("level", step % 3);
			sum += solve(step + 1);
			trm_end("level");
		}
	}
	printf("%.6f\n", sum);
	return 0;
}
