// build: gcc -O2
// output: statuses 10, kept 10, killed SIGTERM, orphan adopted 1, parent right 10
// expect: function=in_child calls=10
/* Results of the wait functions: statuses, WNOWAIT, the killing signal, orphans for a
 * subreaper, getppid. */
#include "lib/test.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

KEPT static int in_child(pid_t parent)
{
	return getppid() == parent ? 50 : 60;
}

static int adopts_orphan(void)
{
	int status, adopted = 0;
	pid_t middle, ended;

	CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
	middle = fork();
	if (middle == 0) {
		if (fork() == 0) {
			usleep(50000);
			_exit(21);
		}
		_exit(20);
	}
	while ((ended = wait(&status)) > 0)
		adopted += ended != middle && WEXITSTATUS(status) == 21;
	return adopted;
}

int main(void)
{
	int statuses = 0, kept = 0, right = 0, status = 0;
	pid_t parent = getpid(), child;

	for (int i = 0; i < 10; i++) {
		siginfo_t info = {0};

		child = fork();
		if (child == 0)
			_exit(in_child(parent) + i);
		CHECK(waitid(P_PID, child, &info, WEXITED | WNOWAIT) == 0);
		kept += info.si_code == CLD_EXITED && info.si_status % 50 == i;
		CHECK(waitpid(child, &status, 0) == child);
		statuses += WIFEXITED(status);
		right += WEXITSTATUS(status) == 50 + i;
	}
	child = fork();
	if (child == 0) {
		for (;;)
			pause();
	}
	kill(child, SIGTERM);
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	printf("statuses %d, kept %d, killed SIG%s, orphan adopted %d, parent right %d\n",
	       statuses, kept, sigabbrev_np(WTERMSIG(status)), adopts_orphan(), right);
	return 0;
}
