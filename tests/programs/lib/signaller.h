/* Signals that do nothing to a program, again and again. */
#ifndef SIGNALLER_H
#define SIGNALLER_H

#include "test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that sends them, so many microseconds apart, until it is ended. */
static pid_t start_signaller(useconds_t pause)
{
	static const int numbers[] = {SIGCHLD, SIGUSR1, SIGWINCH};
	pid_t parent = getpid(), child;

	signal(SIGUSR1, SIG_IGN);
	child = fork();
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0; getppid() == parent; i++) {
		kill(parent, numbers[i % 3]);
		usleep(pause);
	}
	_exit(0);
}

static void end_signaller(pid_t signaller)
{
	kill(signaller, SIGKILL);
	CHECK(waitpid(signaller, NULL, 0) == signaller);
}

#endif
