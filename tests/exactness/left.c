/* Functions that are left in the middle of a block, behind others without a call: by a
 * jump out of a handler, by a signal that ends the process, and by the child of a fork.
 * Without optimization each condition is a branch. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;

static void leave(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static int read_behind_branches(const int *place, int n, int a)
{
	int sum = 0;

	if (n > 3)
		sum += a;
	if (n > 4)
		sum ^= a * 3;
	while (a > 2) {
		a--;
		if (a & 2)
			sum += 3;
	}
	if (a & 1)
		sum += 7;
	else
		sum -= 9;
	sum += *place;
	if (sum & 1)
		sum++;
	return sum;
}

static pid_t fork_behind_branches(int n)
{
	pid_t pid = n;

	if (n > 2)
		pid++;
	while (pid < 9)
		pid += 2;
	if (n == 4)
		pid = fork();
	if (n > 1)
		n++;
	if (pid == 1)
		pid = 5;
	return pid;
}

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	signal(SIGSEGV, leave);
	if (!sigsetjmp(back, 1))
		sum = read_behind_branches(NULL, argc, argc * 3);
	if (fork_behind_branches(4) > 0)
		wait(NULL);
	else
		_exit(sum);
	if (argc > 1) {
		signal(SIGSEGV, SIG_DFL);
		read_behind_branches(NULL, argc, 6);
	}
	return 0;
}
