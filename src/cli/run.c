/* `trammel run`: see man/trammel-run.1.md. */
#include "base/error.h"
#include "cli/commands.h"
#include "cli/measuring.h"
#include "cli/saving.h"
#include "session/run/run.h"

#include <popt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void print_help(poptContext context)
{
	poptSetOtherOptionHelp(context, "[OPTION...] [--] PROGRAM [ARGUMENT...]");
	poptPrintHelp(context, stdout, 0);
	measuring_print_help();
	puts("The exit status is the program's; 126 or 127 if it cannot be run.\n"
	     "The profile goes to PROGRAM.trm; see it with 'trammel report'.");
}

/* 0: go on; else the exit status plus 1. */
static int parse_run(poptContext context, struct measuring *given)
{
	int status = measuring_parse(context, given, "run", print_help);

	if (status)
		return status;
	given->options.arguments = poptGetArgs(context);
	if (!given->options.arguments) {
		trm_error_print(trm_error_create(
			TRM_ERROR_USAGE,
			"no program to run. Try: trammel run -- gzip -6k FILE"));
		return EXIT_USAGE + 1;
	}
	return 0;
}

/* Ends as the program ended: a signal that killed it kills us, too, but for the core. */
static int relay_status(int status)
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
		return relay_status(outcome.status);
	}
	if (outcome.profile)
		sound = finish_profile(given, database);
	if (!sound && WIFEXITED(outcome.status) && !WEXITSTATUS(outcome.status))
		return EXIT_FAILED;
	return relay_status(outcome.status);
}

/* What cannot be written to is said before the program runs. */
static int measure_for(struct measuring *given, const char *database)
{
	struct trm_error *error = database ? saving_check(database) : NULL;

	if (!error)
		return measure_program(given, database);
	trm_error_print(error);
	return EXIT_FAILED;
}

static int run_main(int argc, const char **argv)
{
	struct measuring given = {0};
	char *database = NULL;
	struct poptOption table[] = {
		MEASURING_OPTIONS(given),
		MEASURING_WORD("regions", OPTION_REGIONS,
			       "record calls of functions that match as regions",
			       "PATTERN"),
		{"threshold", 0, POPT_ARG_STRING, &given.threshold, 0,
		 "leave out waits that are shorter (default 100us)", "TIME"},
		SAVING_OPTION(database),
		MEASURING_TOOLS,
		MEASURING_LAST_OPTIONS(given),
		POPT_TABLEEND};
	const char **named = memory_allocate((size_t)(argc + 1) * sizeof(*named));

	memcpy(named, argv, (size_t)(argc + 1) * sizeof(*named));
	named[0] = "trammel run"; /* for the usage line */
	/* The program's own options are not ours. */
	poptContext context = poptGetContext("trammel run", argc, named, table,
					     POPT_CONTEXT_POSIXMEHARDER);
	int status = parse_run(context, &given) - 1;

	if (status < 0)
		status = measuring_complete(&given, given.options.arguments[0])
				 ? measure_for(&given, saving_database(database))
				 : EXIT_USAGE;
	measuring_deinit(&given);
	free(database);
	poptFreeContext(context);
	free(named);
	return status;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "start a program and measure it and all that it starts",
	.main = run_main,
};
