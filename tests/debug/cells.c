/* Writes cell[1] by put: 10, 10 again, 20, and in a thread 30; reads it by get; and
 * narrow once, in the thread. Prints its address, then "20 30 5". */
#include <pthread.h>
#include <stdio.h>

long cell[4];
int narrow;

__attribute__((noinline)) void put(long x)
{
	cell[1] = x;
}

__attribute__((noinline)) long get(void)
{
	return cell[1];
}

static void *run(void *argument)
{
	put(30);
	narrow = 5;
	return argument;
}

int main(void)
{
	pthread_t thread;
	long seen;

	printf("%p\n", (void *)&cell[1]);
	put(10);
	put(10);
	put(20);
	seen = get();
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	printf("%ld %ld %d\n", seen, get(), narrow);
	return 0;
}
