/* Two functions with known shares of the time: `= share FUNCTION PERCENT`. */
#include "work.h"

#include <stdio.h>

static volatile unsigned long sink;

__attribute__((noinline)) void heavy_step(void)
{
	for (int i = 0; i < 50000; i++)
		sink += 3;
}

__attribute__((noinline)) void light_step(void)
{
	for (int i = 0; i < 50000; i++)
		sink ^= 5;
}

/* With an argument it runs until it is killed. */
int main(int argc, char **argv)
{
	(void)argv;
	while (argc > 1) {
		WORK_FOR(0.02, heavy_step());
		WORK_FOR(0.01, light_step());
	}
	WORK_FOR(0.3, heavy_step());
	WORK_FOR(0.15, light_step());
	puts("= share heavy_step 66.7\n= share light_step 33.3");
	return 7;
}
