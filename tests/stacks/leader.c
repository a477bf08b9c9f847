/* A process whose first thread ends, and whose other one sleeps until it is killed. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *sleep_on(void *argument)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		sleep(1000);
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_on, NULL);
	pthread_exit(NULL);
}
