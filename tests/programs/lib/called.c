/* A plugin that calls through a table of its own. */
#include "test.h"

KEPT static long called_leaf(long n)
{
	ROOM();
	return n + 1;
}

static long (*volatile called_table[])(long) = {called_leaf};

long called_work(long turns)
{
	long sum = 0;

	for (long i = 0; i < turns; i++)
		sum += called_table[0](0);
	return sum;
}
