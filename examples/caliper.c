/*
 * A program that was annotated for LLNL's Caliper, in C.
 *
 *     gcc -O2 -I../include caliper.c -ltrammel-cali -o caliper
 *     CALI_CONFIG=runtime-report ./caliper
 */
#include <caliper/cali.h>

#include <stdio.h>

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
	int sum = 0;

	cali_set_global_string_byname("experiment", "fibonacci");
	CALI_MARK_FUNCTION_BEGIN;
	CALI_MARK_LOOP_BEGIN(loop, "numbers");
	for (int i = 0; i < 20; i++) {
		CALI_MARK_ITERATION_BEGIN(loop, i);
		CALI_MARK_BEGIN("fibonacci");
		sum += fibonacci(i);
		CALI_MARK_END("fibonacci");
		CALI_MARK_ITERATION_END(loop);
	}
	CALI_MARK_LOOP_END(loop);
	printf("%d, in %s\n", sum, cali_get_current_region_or("no region"));
	CALI_MARK_FUNCTION_END;
	return 0;
}
