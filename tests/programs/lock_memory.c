// build: gcc -O2 -pthread
// needs: root
// output: locked, sum 4950
// expect: function=add calls=100
/* mlockall for now and later: whatever is mapped afterwards is locked too. */
#include "lib/test.h"

#include <pthread.h>
#include <sys/mman.h>

KEPT static long add(long sum, int n)
{
	return sum + n;
}

static void *thread(void *argument)
{
	long sum = 0;

	for (int i = 0; i < 100; i++)
		sum = add(sum, i);
	(void)argument;
	return (void *)sum;
}

int main(void)
{
	pthread_t id;
	void *sum;

	CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
	CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
	CHECK(pthread_join(id, &sum) == 0);
	printf("locked, sum %ld\n", (long)sum);
	return 0;
}
