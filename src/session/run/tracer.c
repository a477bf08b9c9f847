#include "session/run/tracer.h"

#include "control/event.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

void tracer_send(int fd, enum status_kind kind, const char *text)
{
	char letter = (char)kind;

	/* The front may be gone: then there is no reader for the status. */
	if (write(fd, &letter, 1) != 1 || (text && write(fd, text, strlen(text)) < 0))
		return;
}

void tracer_fail(int fd, struct trm_error *error)
{
	tracer_send(fd, STATUS_FAILED, error->message);
	trm_error_destroy(error);
}

static bool seize_process(const struct tracer_start *start)
{
	char byte;

	return read(start->ready_fd, &byte, 1) == 1 &&
	       !ptrace(PTRACE_SEIZE, start->program, 0, event_trace_options());
}

/* Closes the front's descriptors: a process that waits for their end would otherwise
 * wait on. */
static void let_go_of_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

bool tracer_begin(const struct tracer_start *start, sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	sigaddset(signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, signals, NULL);
	let_go_of_terminal();
	if (seize_process(start))
		return true;
	tracer_fail(start->status_fd,
		    trm_error_system(errno, "cannot trace: see 'trammel doctor' for what "
					    "forbids it"));
	return false;
}
