/* `trammel run`: see man/trammel-run.1.md. */
#include "cli/commands.h"

#include "base/text.h"
#include "report/text/report.h"
#include "session/run.h"

#include <popt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum option { OPTION_ONLY = 1, OPTION_SKIP, OPTION_HELP };

struct given {
	char *output, *measure;
	int quiet, verbose;
	struct session_options options;
};

static void print_help(poptContext context)
{
	poptSetOtherOptionHelp(context, "[OPTION...] [--] PROGRAM [ARGUMENT...]");
	poptPrintHelp(context, stdout, 0);
	puts("\nMeasurements (-m):");
	for (const struct collector *const *c = collectors; *c; c++)
		printf("  %-12s %s\n", (*c)->name, (*c)->summary);
	puts("\nPATTERN is a glob: FUNCTION, MODULE:FUNCTION, or MODULE: for whole "
	     "modules;\n"
	     "several are separated by commas. --skip wins over --only.\n\n"
	     "The exit status is the program's; 126 or 127 if it cannot be run.\n"
	     "The profile goes to PROGRAM.trm; see it with 'trammel report'.");
}

static char *default_output(const char *program)
{
	const char *slash = strrchr(program, '/');
	struct text path = {0};

	text_format(&path, "%s.trm", slash ? slash + 1 : program);
	return path.data;
}

/* 0: go on; else the exit status plus 1. */
static int parse(poptContext context, struct given *given)
{
	int option;

	while ((option = poptGetNextOpt(context)) > 0) {
		char *argument = poptGetOptArg(context);

		if (option == OPTION_HELP) {
			print_help(context);
			return EXIT_DONE + 1;
		}
		patterns_add(option == OPTION_ONLY ? &given->options.only
						   : &given->options.skip,
			     argument);
		free(argument);
	}
	if (option < -1) {
		trm_error_print(trm_error_create(
			TRM_ERROR_USAGE, "%s: %s. See 'trammel help run'.",
			poptBadOption(context, 0), poptStrerror(option)));
		return EXIT_USAGE + 1;
	}
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
static int relay(int status)
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

static int measure(struct given *given)
{
	struct report_options report = {.verbose = given->verbose != 0};
	struct run_outcome outcome;
	struct trm_error *error = session_run(&given->options, &outcome);

	if (error) {
		trm_error_print(error);
		if (outcome.refused)
			return outcome.refused;
		if (WIFEXITED(outcome.status) && !WEXITSTATUS(outcome.status))
			return EXIT_FAILED;
		return relay(outcome.status);
	}
	if (!given->quiet && outcome.profile) {
		error = report_text_summary(stderr, given->options.output, &report);
		if (error)
			trm_error_print(error);
	}
	return relay(outcome.status);
}

int cmd_run(int argc, const char **argv)
{
	struct given given = {0};
	struct poptOption table[] = {
		{"output", 'o', POPT_ARG_STRING, &given.output, 0,
		 "write the profile here (default PROGRAM.trm)", "FILE"},
		{"measure", 'm', POPT_ARG_STRING, &given.measure, 0,
		 "what to measure (default functions)", "NAME"},
		{"only", 0, POPT_ARG_STRING, NULL, OPTION_ONLY, "measure only these",
		 "PATTERN"},
		{"skip", 0, POPT_ARG_STRING, NULL, OPTION_SKIP, "do not measure these",
		 "PATTERN"},
		{"quiet", 'q', POPT_ARG_NONE, &given.quiet, 0, "no summary at the end",
		 NULL},
		{"verbose", 'v', POPT_ARG_NONE, &given.verbose, 0,
		 "name the functions that were not instrumented", NULL},
		{"help", 'h', POPT_ARG_NONE, NULL, OPTION_HELP, "show this help", NULL},
		POPT_TABLEEND,
	};
	const char **named = memory_allocate((size_t)(argc + 1) * sizeof(*named));

	memcpy(named, argv, (size_t)(argc + 1) * sizeof(*named));
	named[0] = "trammel run"; /* for the usage line */
	/* The program's own options are not ours. */
	poptContext context = poptGetContext("trammel run", argc, named, table,
					     POPT_CONTEXT_POSIXMEHARDER);
	int status = parse(context, &given) - 1;

	if (status < 0) {
		struct trm_error *error =
			collector_find(given.measure ? given.measure : "functions",
				       &given.options.collector);

		if (!given.output)
			given.output = default_output(given.options.arguments[0]);
		given.options.output = given.output;
		given.options.quiet = given.quiet;
		given.options.verbose = given.verbose;
		if (error)
			trm_error_print(error);
		status = error ? EXIT_USAGE : measure(&given);
	}
	patterns_deinit(&given.options.only);
	patterns_deinit(&given.options.skip);
	free(given.output);
	free(given.measure);
	poptFreeContext(context);
	free(named);
	return status;
}
