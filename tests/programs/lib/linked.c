/* Functions that are called through the linkage table of their own library. */
#include "test.h"

int linked_own(int value);
int linked_taken(int value);
int linked_tail(int value);
int linked_pointer(int value);
int linked_work(int count);

KEPT int linked_own(int value)
{
	ROOM();
	return value + 1;
}

/* The program has another one. */
KEPT int linked_taken(int value)
{
	ROOM();
	return value + 2;
}

KEPT int linked_tail(int value)
{
	ROOM();
	return linked_own(value + 1);
}

static int (*volatile own)(int) = linked_own;

KEPT int linked_pointer(int value)
{
	ROOM();
	return own(value) + 1;
}

KEPT int linked_work(int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++) {
		sum += linked_own(i);
		sum += linked_taken(i);
		sum += linked_tail(i);
		sum += linked_pointer(i);
	}
	return sum;
}
