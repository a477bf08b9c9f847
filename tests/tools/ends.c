/* Calls leaf() 1,000 times with 0 to 999, in threads or not, and ends in the way that its
 * argument says; then nothing else is called but by a child of a fork, which calls it 10
 * times with -1. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sum;

__attribute__((noinline)) void leaf(long number)
{
	sum += number;
}

__attribute__((noinline)) void work(long from, long to)
{
	for (long i = from; i < to; i++)
		leaf(i);
}

static void *work_thread(void *from)
{
	work((long)from, (long)from + 250);
	return NULL;
}

static void work_threads(void)
{
	pthread_t threads[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work_thread, (void *)(i * 250));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void work_child(void)
{
	pid_t child = fork();

	if (!child) {
		for (int i = 0; i < 10; i++)
			leaf(-1);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "threads"))
		work_threads();
	else
		work(0, 1000);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "signal"))
		raise(SIGTERM);
	if (!strcmp(how, "exec"))
		execl("/bin/true", "true", NULL);
	if (!strcmp(how, "fork"))
		work_child();
	return 0;
}
