/* The second unit of covered.cc's program. */
#include "covered.h"

__attribute__((noinline)) static int step(int number)
{
	auto add = [&](int more, int still) { return number + more + still; };

	return add(twice(number), 2);
}

int other(int rounds)
{
	int sum = 0;

	while (rounds--)
		sum += step(rounds) + shapes::mixed(rounds, rounds);
	return sum;
}
