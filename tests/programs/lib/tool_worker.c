/* Calls work() in two threads; with an argument it forks, too, and its children call it.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int over;

__attribute__((noinline, noclone)) long work(long number);

long work(long number)
{
	__asm__ volatile("" : "+r"(number));
	return number * 2;
}

static void *run(void *argument)
{
	long *sum = argument;

	for (long i = 0; i < 100 || !over; i++)
		*sum += work(i % 100);
	return NULL;
}

static int fork_one(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(work(21) == 42 ? 7 : 1);
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
		       ? WEXITSTATUS(status)
		       : -1;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	long sum = 0, own = 0;
	int right = 0;

	(void)argv;
	pthread_create(&thread, NULL, run, &sum);
	for (long i = 0; i < 200; i++)
		own += work(i % 100);
	for (int i = 0; argc > 1 && i < 20; i++)
		right += fork_one() == 7;
	over = 1;
	pthread_join(thread, NULL);
	printf("%ld, %d children\n", own, right);
	return 0;
}
