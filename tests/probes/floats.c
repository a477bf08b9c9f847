/*
 * Numbers of floating point, as integers: for run-probes.py. The program reads the flags
 * of exceptions at the end: none must come from probes.
 */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PROBED __attribute__((noinline))
#define KEEP() __asm__ volatile(".nops 8" ::: "memory")

struct part {
	float share;
	double weight;
};

PROBED double take_double(double value, long other, float small)
{
	KEEP();
	return other > 0 && small > 0 ? value : -value;
}

PROBED float take_part(const struct part *part)
{
	KEEP();
	return part->share;
}

static const double values[] = {0,     -0.0,    0.4,    0.999, 1,       -1,      1.5,
				-2.75, 1000.25, 4e9,    -4e9,  1e15,    -1e15,   0x1p52,
				9e18,  -9e18,   5e-324, 1e-10, 0x1p-60, 123.456, -0.001};
static const double others[] = {1e19, -1e19, 1e300, INFINITY, -INFINITY, NAN};

int main(void)
{
	const size_t count = sizeof(values) / sizeof(values[0]);
	long sum = 0, scaled = 0, large = 0, weights = 0, small = 0;
	struct part part;

	feclearexcept(FE_ALL_EXCEPT);
	for (size_t i = 0; i < count; i++)
		take_double(values[i], 1, (float)(long)i);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		take_double(others[i], 1, 2);
	part.weight = 0;
	for (int i = 0; i < 100; i++) {
		part.share = (float)i / 4;
		part.weight = -i / 8.0;
		take_part(&part);
	}
	if (fetestexcept(FE_INVALID | FE_INEXACT | FE_OVERFLOW))
		return 1;
	for (size_t i = 0; i < count; i++) {
		sum = (long)((unsigned long)sum + (unsigned long)(long)values[i]);
		if (fabs(values[i]) < 1e12)
			scaled += (long)((long double)values[i] * 1000);
		large += values[i] > 1e9;
		small += (long)i;
	}
	for (int i = 0; i < 100; i++)
		weights -= i * 100 / 8;
	printf("= sum sum %ld\n= sum errors 6\n= large hits %ld\n= small sum %ld\n", sum,
	       large, small + 12);
	printf("= scaled sum %ld\n= shares sum 1200\n= weights sum %ld\n"
	       "= results sum 1200\n= results errors 0\n",
	       scaled, weights);
	return 0;
}
