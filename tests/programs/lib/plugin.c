/* A plugin, built several times with another NUMBER. */
#include "test.h"

#ifndef NUMBER
#define NUMBER 1
#endif

KEPT int plugin_helper(int n)
{
	return n * NUMBER;
}

int plugin_work(int n)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += plugin_helper(n + i);
	return sum;
}
