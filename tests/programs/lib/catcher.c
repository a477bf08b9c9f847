/* Catches SIGINT three times, and ends with status 3. */
#include "test.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

KEPT static void catch_one(int number)
{
	(void)number;
	caught++;
}

int main(void)
{
	sigset_t blocked, before;

	signal(SIGINT, catch_one);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	for (int i = 1; i <= 3; i++) {
		puts("ready");
		fflush(stdout);
		while (caught < i)
			sigsuspend(&before);
		printf("caught %d\n", caught);
		fflush(stdout);
	}
	return caught;
}
