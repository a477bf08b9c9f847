/*
 * A program that nobody annotated: its functions become regions by --regions.
 *
 *     gcc -O2 jobs.c -o jobs
 *     trammel run --regions 'jobs:job_*' -o jobs.trm -- ./jobs
 *     trammel report jobs.trm
 *
 * The report has a tree: job_run with job_parse and job_solve in it, how often each was
 * called, and the time in it. Patterns may name functions of libraries, too, as
 * --regions 'libc.so*:qsort'; and with -m trace each call is there with its time.
 */
#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 20, NUMBERS = 2000 };

/* Functions must be there to be seen: compilers put small ones into their callers. */
#define JOB __attribute__((noinline))

static int numbers[NUMBERS];

static int compare(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

JOB static void job_parse(int job)
{
	unsigned state = (unsigned)job + 1;

	for (int i = 0; i < NUMBERS; i++) {
		state = state * 1103515245u + 12345u;
		numbers[i] = (int)(state >> 16 & 0x7fff);
	}
}

JOB static int job_solve(void)
{
	qsort(numbers, NUMBERS, sizeof(numbers[0]), compare);
	return numbers[NUMBERS / 2];
}

JOB static int job_run(int job)
{
	int middle;

	job_parse(job);
	middle = job_solve();
	return middle - job;
}

int main(void)
{
	long sum = 0;

	for (int job = 0; job < JOBS; job++)
		sum += job_run(job);
	printf("%ld\n", sum);
	return 0;
}
