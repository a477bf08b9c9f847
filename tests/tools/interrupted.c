/* Loads and stores that signals interrupt, whose handler loads and stores, too; a child
 * of fork(2) that goes on alone. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS = 300, SIZE = 64 };

static volatile unsigned long handled, cells[SIZE], others[SIZE];

static void on_signal(int number)
{
	(void)number;
	for (unsigned i = 0; i < SIZE; i++)
		others[i] += i;
	handled++;
}

__attribute__((noinline)) static void walk(void)
{
	for (unsigned i = 0; i < SIZE; i++)
		cells[i] += cells[(i + 1) % SIZE] + 1;
}

int main(void)
{
	const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	unsigned long rounds;
	int status = 0;

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	for (rounds = 0; handled < SIGNALS; rounds++)
		walk();
	setitimer(ITIMER_REAL, &never, NULL);
	if (!fork()) {
		for (int i = 0; i < 5000; i++)
			walk();
		return 7;
	}
	wait(&status);
	printf("%d %d\n", handled >= SIGNALS, WEXITSTATUS(status));
	return 0;
}
