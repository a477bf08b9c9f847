// build: gcc -O2
// output: strict child 6, killed child 9
// expect: function=leaf calls=2000
/*
 * Strict seccomp, which leaves read, write, exit and sigreturn; and a program that breaks
 * it.
 */
#include "lib/test.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

KEPT static int leaf(int n)
{
	return n + 1;
}

static int child(int breaks)
{
	volatile int n = 0;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		for (int i = 0; i < 1000; i++)
			n = leaf(n);
		if (breaks)
			getppid();
		syscall(SYS_exit, n == 1000 ? 6 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

int main(void)
{
	int strict = child(0), killed = child(1);

	printf("strict child %d, killed child %d\n", strict, killed);
	return 0;
}
