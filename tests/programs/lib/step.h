/* A function that calls another one in its first bytes. */
#ifndef STEP_H
#define STEP_H

#include "test.h"

KEPT static long inner(long x)
{
	__asm__ volatile("");
	return x * 3;
}

KEPT static long step(long x)
{
	return inner(x) + 1;
}

#endif
