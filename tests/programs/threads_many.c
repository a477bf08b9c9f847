// build: gcc -O2 -pthread
// build(clang): clang -O2 -pthread
// build(static): gcc -O2 -pthread -static
// output: threads 1600, sum 16000
// expect: function=thread calls=1600
// expect: function=leaf calls=16000
/* 1,600 threads created and ended in a row, some of them detached. */
#include "lib/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int sum, ended;

KEPT static int leaf(int n)
{
	return n & 1;
}

KEPT static void *thread(void *argument)
{
	for (int i = 0; i < 10; i++)
		sum += leaf(2 * i + 1);
	ended++;
	return argument;
}

int main(void)
{
	for (int i = 0; i < 1600; i++) {
		pthread_t id;

		CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
		if (i % 4)
			CHECK(pthread_join(id, NULL) == 0);
		else
			CHECK(pthread_detach(id) == 0);
	}
	while (ended < 1600)
		usleep(1000);
	printf("threads %d, sum %d\n", ended, sum);
	return 0;
}
