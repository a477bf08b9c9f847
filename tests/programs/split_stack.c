// build: gcc -O1 -fsplit-stack -pthread
// build(O0): gcc -O0 -fsplit-stack -pthread
// output: 2001000 2001000
// expect: function=deep calls=4002
// expect: function=with_room calls=2
/* Functions that ask for a stack when they are called (-fsplit-stack): __morestack runs
 * them from one byte behind its return address, and returns there afterwards. */
#include "lib/test.h"

#include <pthread.h>
#include <string.h>

KEPT long deep(long n)
{
	char bytes[512];

	memset(bytes, (int)n, sizeof(bytes));
	__asm__ volatile("" : : "r"(bytes) : "memory");
	return n ? deep(n - 1) + n : bytes[0];
}

KEPT void *with_room(void *number)
{
	*(long *)number = deep(2000);
	return NULL;
}

int main(void)
{
	long first = 0, second = 0;
	pthread_attr_t attributes;
	pthread_t thread;

	with_room(&first);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	if (pthread_create(&thread, &attributes, with_room, &second))
		return 77;
	pthread_join(thread, NULL);
	printf("%ld %ld\n", first, second);
	return 0;
}
