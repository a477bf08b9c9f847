/* Programs for the tests of OpenMP: the first word says what to do, see `openmp.py`. */
#include <trammel/annotate.h>

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sink;

/* Loops, a single, a critical section and a barrier, in four threads. */
static void shares(int count)
{
	TRM_REGION("solve");
	for (int k = 0; k < count; k++) {
#pragma omp parallel num_threads(4)
		{
#pragma omp for
			for (int i = 0; i < 8; i++) {
				TRM_REGION("body");
				sink = i;
			}
#pragma omp single
			sink++;
#pragma omp critical
			sink++;
#pragma omp barrier
#pragma omp sections
			{
#pragma omp section
				sink--;
#pragma omp section
				sink--;
			}
		}
		usleep(20000);
	}
}

static int fibonacci(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fibonacci(n - 1);
#pragma omp task shared(b)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

static void tasks(int count)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	printf("%d\n", fibonacci(count));
}

/* Tasks that any thread may go on with, each in two parts. */
static void untied(int count)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < count; i++) {
#pragma omp task untied
		{
			TRM_REGION("part");
			sink = i;
#pragma omp taskyield
		}
	}
}

static void nested(int count)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		TRM_REGION("outer");
		for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(2)
			{
				TRM_REGION("inner");
				sink = i;
			}
		}
	}
}

/* More work for one thread than for all others together: these wait. */
static void waits(int count)
{
#pragma omp parallel num_threads(2)
	if (!omp_get_thread_num())
		usleep((unsigned)count * 1000);
	usleep((unsigned)count * 5000);
#pragma omp parallel num_threads(2)
	sink++;
}

static const struct {
	const char *name;
	void (*run)(int count);
} words[] = {
	{"shares", shares}, {"tasks", tasks}, {"untied", untied},
	{"nested", nested}, {"waits", waits},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].name, argv[1]))
			words[i].run(atoi(argv[2]));
	return 0;
}
