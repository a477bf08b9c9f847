/* Prints 120 ticks, 10 ms apart. */
#include "test.h"

#include <unistd.h>

KEPT static void tick(int number)
{
	printf("tick %d\n", number);
	fflush(stdout);
	usleep(10000);
}

int main(void)
{
	for (int i = 1; i <= 120; i++)
		tick(i);
	puts("done");
	return 0;
}
