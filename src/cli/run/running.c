#include "cli/run/running.h"

#include "base/error.h"
#include "cli/commands.h"
#include "cli/saving.h"
#include "session/run/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int (*running_debugged)(struct measuring *given, const char *database);

int running_relay(int status)
{
	const struct rlimit none = {0, 0};

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(status));
	fflush(NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* A line that is taken away again: the program waits, and writes nothing. */
static void show_planning(const char *name, unsigned int left)
{
	enum { WIDTH = 40 };

	fputs("\r\033[K", stderr);
	if (left)
		fprintf(stderr, "trammel: preparing %.*s, seen for the first time", WIDTH,
			name);
	if (left > 1)
		fprintf(stderr, "; %u more wait", left - 1);
	fflush(stderr);
}

/* The summary, and the database; whether nothing went wrong. */
static bool finish_profile(const struct measuring *given, const char *database)
{
	measuring_summarize(given);
	return saving_finish(database, given->options.output);
}

static int measure_program(struct measuring *given, const char *database)
{
	struct run_outcome outcome = {0};
	bool sound = true;

	if (!given->options.quiet && isatty(STDERR_FILENO))
		given->options.planning = show_planning;

	struct trm_error *error = session_run(&given->options, &outcome);

	if (error) {
		const bool usage = error->code == TRM_ERROR_USAGE;

		trm_error_print(error);
		if (usage)
			return EXIT_USAGE;
		if (outcome.refused)
			return outcome.refused;
		if (outcome.profile)
			finish_profile(given, database);
		if (WIFEXITED(outcome.status) && !WEXITSTATUS(outcome.status))
			return EXIT_FAILED;
		return running_relay(outcome.status);
	}
	if (outcome.profile)
		sound = finish_profile(given, database);
	if (!sound && WIFEXITED(outcome.status) && !WEXITSTATUS(outcome.status))
		return EXIT_FAILED;
	return running_relay(outcome.status);
}

/* What cannot be written to is said before the program runs. */
int running_measure(struct measuring *given, const char *database)
{
	struct trm_error *error = database ? saving_check(database) : NULL;

	if (!error)
		return measure_program(given, database);
	trm_error_print(error);
	return EXIT_FAILED;
}
