#include "daemon/gc.h"

#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NICE = 10 };

/* In the child: `trammel db gc`. */
_Noreturn static void become_gc(const char *database)
{
	const char *const words[] = {"trammel", "db", "gc", NULL};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	setpriority(PRIO_PROCESS, 0, NICE);
	/* Arguments can be read by all users, and an address may have a password. */
	setenv("TRAMMEL_DB", database, 1);
	/* What it would say belongs to no terminal. */
	if (dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO) >= 0)
		execv("/proc/self/exe", (char **)(uintptr_t)words);
	_exit(126);
}

void gc_begin(struct daemon *daemon)
{
	if (daemon->gc || daemon->options->no_gc)
		return;
	daemon->gc = fork();
	if (!daemon->gc)
		become_gc(daemon->options->database);
	if (daemon->gc < 0)
		daemon->gc = 0;
}

void gc_reap(struct daemon *daemon)
{
	int status;

	if (!daemon->gc || waitpid(daemon->gc, &status, WNOHANG) != daemon->gc)
		return;
	daemon->gc = 0;
	if (status)
		log_line("'trammel db gc' failed: old data was not made smaller");
}

void gc_end(struct daemon *daemon)
{
	if (!daemon->gc)
		return;
	kill(daemon->gc, SIGTERM);
	while (waitpid(daemon->gc, NULL, 0) < 0 && errno == EINTR)
		;
	daemon->gc = 0;
}
