#include "cli/top/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

_Noreturn static void become_program(const struct launch *launch,
				     const char *const *program)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t tracer;
	char byte;

	close(launch->go[1]);
	close(launch->tracer[1]);
	if (read(launch->tracer[0], &tracer, sizeof(tracer)) != sizeof(tracer))
		_exit(126);
	/* Under Yama's ptrace_scope 1 only an ancestor may trace, and the tracer is none.
	 */
	prctl(PR_SET_PTRACER, tracer, 0, 0, 0);
	if (write(launch->failed[1], "", 1) != 1 || read(launch->go[0], &byte, 1) != 1)
		_exit(126);
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
	execvp(program[0], (char *const *)(uintptr_t)program);
	int why = errno;

	if (write(launch->failed[1], &why, sizeof(why)) < 0)
		_exit(126);
	_exit(127);
}

struct trm_error *launch_start(struct launch *launch, const char *const *program)
{
	sigset_t none;

	if (pipe2(launch->go, O_CLOEXEC) || pipe2(launch->tracer, O_CLOEXEC) ||
	    pipe2(launch->failed, O_CLOEXEC))
		return trm_error_system(errno, "cannot make a pipe");
	launch->program = fork();
	if (launch->program < 0)
		return trm_error_system(errno, "cannot start a process");
	if (!launch->program) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		become_program(launch, program);
	}
	return NULL;
}

bool launch_introduce(const struct launch *launch, pid_t tracer)
{
	char byte;

	return write(launch->tracer[1], &tracer, sizeof(tracer)) == sizeof(tracer) &&
	       read(launch->failed[0], &byte, 1) == 1;
}

bool launch_failed(const struct launch *launch, int *ret_why)
{
	return read(launch->failed[0], ret_why, sizeof(*ret_why)) == sizeof(*ret_why);
}
