/* A program of some functions, whose file the tests damage. Its argument is an exit
 * status. */
#include "test.h"

KEPT static int add(int a, int b)
{
	return a + b;
}

KEPT static int fold(const char *text)
{
	int sum = 0;

	for (; *text; text++)
		sum = add(sum * 31, *text);
	return sum;
}

KEPT static int choose(int n)
{
	switch (n % 6) {
	case 0:
		return fold("zero");
	case 1:
		return fold("one") / 3;
	case 2:
		return add(n, 5);
	case 3:
		return n << 3;
	case 4:
		return fold("four") ^ n;
	default:
		return -n;
	}
}

static int compare(const void *a, const void *b)
{
	return add(*(const int *)a > *(const int *)b,
		   -(*(const int *)a < *(const int *)b));
}

int main(int count, char **arguments)
{
	int numbers[200];
	long sum = 0;

	for (int i = 0; i < 200; i++)
		numbers[i] = choose(i);
	qsort(numbers, 200, sizeof(numbers[0]), compare);
	for (int i = 0; i < 200; i++)
		sum += (long)i * numbers[i];
	printf("sum %ld\n", sum);
	return count > 1 ? atoi(arguments[1]) : 0;
}
