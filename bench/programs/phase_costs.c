/* What changes of phases cost: `phase_costs WAY NUMBER TURNS`. Prints the nanoseconds of
 * the thread's processor time for each round: a region (or none) around a loop of TURNS.
 */
#include <trammel/annotate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile long sum;

__attribute__((noinline)) static void work(long turns)
{
	for (long i = 0; i < turns; i++)
		sum += i;
}

/* Another region than the last one, so that each begin and end changes the phase. */
__attribute__((noinline)) static void in_region(long turns)
{
	TRM_REGION("phase");
	work(turns);
}

__attribute__((noinline)) static void alone(long turns)
{
	work(turns);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
	const long number = argc > 2 ? atol(argv[2]) : 1000,
		   turns = argc > 3 ? atol(argv[3]) : 0;
	void (*round)(long) = argc > 1 && !strcmp(argv[1], "region") ? in_region : alone;
	double best = 0;

	for (int series = 0; series < 7; series++) {
		const double begin = now();

		for (long i = 0; i < number; i++)
			round(turns);
		const double each = (now() - begin) / (double)number;

		if (!best || each < best)
			best = each;
	}
	printf("%.2f\n", best);
	return 0;
}
