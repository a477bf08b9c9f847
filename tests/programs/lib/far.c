/* Functions of another module, each with room for a jump. */
#include "test.h"

long far_step(long value);
long far_leap(long value);

KEPT long far_step(long value)
{
	ROOM();
	return value + 1;
}

KEPT long far_leap(long value)
{
	ROOM();
	return value + 2;
}
