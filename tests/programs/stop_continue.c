// build: gcc -O2
// output: stops 40, continues 40, exited 8
// expect: function=work calls=41
/*
 * A child that stops itself (SIGSTOP, SIGTSTP) and a parent that sees it and continues
 * it. The parent has a SIGCHLD for each, and a stopped child must stay stopped.
 */
#include "lib/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int told;

static void note(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	told += info->si_code == CLD_STOPPED || info->si_code == CLD_CONTINUED;
}

KEPT static void work(int *shared)
{
	__atomic_add_fetch(shared, 1, __ATOMIC_SEQ_CST);
}

static int wait_for(pid_t child, int options)
{
	int status;

	while (waitpid(child, &status, options) != child)
		CHECK(errno == EINTR);
	return status;
}

static void in_child(int go)
{
	int count = 0;
	char byte;

	setpgid(0, 0);
	work(&count);
	for (int i = 0; i < 40; i++) {
		raise(i % 2 ? SIGSTOP : SIGTSTP);
		work(&count);
		if (read(go, &byte, 1) != 1)
			_exit(2);
	}
	_exit(count == 41 ? 8 : 1);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
	int stops = 0, continues = 0, status, ends[2];
	pid_t child;

	CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0)
		in_child(ends[0]);
	for (int i = 0; i < 40; i++) {
		status = wait_for(child, WUNTRACED);
		CHECK(WIFSTOPPED(status));
		stops += WSTOPSIG(status) == (i % 2 ? SIGSTOP : SIGTSTP);
		if (i < 5)
			usleep(20000);
		CHECK(waitpid(child, &status, WNOHANG | WCONTINUED) == 0);
		kill(child, SIGCONT);
		status = wait_for(child, WCONTINUED);
		continues += WIFCONTINUED(status);
		CHECK(write(ends[1], "x", 1) == 1);
	}
	status = wait_for(child, 0);
	printf("stops %d, continues %d, exited %d\n", stops, continues,
	       WEXITSTATUS(status));
	CHECK(told > 0);
	return 0;
}
