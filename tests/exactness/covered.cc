/* The program of tracefiles.py: see covered.h. */
#include "covered.h"

#include <cstdio>

__attribute__((noinline)) int over(int a, int b)
{
	if (a > 3)
		return a - b;
	return a + b;
}

__attribute__((noinline)) double over(double a, int b)
{
	return a * b + 1.5;
}

__attribute__((noinline)) int never(int a)
{
	return twice(a) + 1;
}

int main(int count, char **)
{
	shapes::Box box = {count + 2, 4};
	double sum = 0;

	for (int i = 0; i < 7; i++)
		sum += over(i, count) + twice(i);
	for (int i = 0; i < 5; i++)
		sum += over(1.0 * i, count) + shapes::mixed(i, 2.5);
	sum += shapes::mixed('a', 3L) + box.area() + other(4);
	if (count > 9)
		sum += never(count);
	std::printf("%g\n", sum);
	return 0;
}
