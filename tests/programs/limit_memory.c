// build: gcc -O2 -pthread
// output: ran out of memory: yes
// expect: function=allocate calls=2000 at-least
/* RLIMIT_AS: malloc fails when it must, and threads still work. */
#include "lib/test.h"

#include <pthread.h>
#include <sys/resource.h>

KEPT static void *allocate(size_t size)
{
	return malloc(size);
}

KEPT static void *thread(void *argument)
{
	free(allocate(10));
	return argument;
}

int main(void)
{
	struct rlimit limit = {512UL << 20, 512UL << 20};
	int full = 0;

	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	for (int i = 0; i < 2000; i++)
		free(allocate(1000));
	for (int i = 0; i < 20; i++) {
		pthread_t id;

		CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
		CHECK(pthread_join(id, NULL) == 0);
	}
	for (int i = 0; i < 1024 && !full; i++)
		full = allocate(1 << 20) == NULL;
	printf("ran out of memory: %s\n", full ? "yes" : "no");
	return 0;
}
