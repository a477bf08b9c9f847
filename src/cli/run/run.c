/* `trammel run`: see man/trammel-run.1.md. */
#include "base/error.h"
#include "cli/commands.h"
#include "cli/far/far.h"
#include "cli/measuring.h"
#include "cli/options/configured.h"
#include "cli/run/running.h"
#include "cli/saving.h"

#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int measure_with(struct measuring *given, const char *database,
			const char *on_crash)
{
	if (on_crash && strcmp(on_crash, "debug")) {
		trm_error_print(trm_error_create(TRM_ERROR_USAGE,
						 "--on-crash '%s' is not known: only "
						 "'debug' is",
						 on_crash));
		return EXIT_USAGE;
	}
	if (!measuring_complete(given, given->options.arguments[0]))
		return EXIT_USAGE;
	return on_crash ? running_debugged(given, database)
			: running_measure(given, database);
}

/* With what the command line says. */
static int run_words(int argc, const char **argv)
{
	struct measuring given = {0};
	char *database = NULL, *on_crash = NULL;
	struct poptOption table[] = {MEASURING_RUN_OPTIONS(given),
				     {"on-crash", 0, POPT_ARG_STRING, &on_crash, 0,
				      "at a signal of a crash: debug", "ACTION"},
				     SAVING_OPTION(database),
				     MEASURING_WAY_OPTIONS,
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
		status = measure_with(&given, saving_database(database), on_crash);
	measuring_deinit(&given);
	free(on_crash);
	free(database);
	poptFreeContext(context);
	free(named);
	return status;
}

static int run_main(int argc, const char **argv)
{
	const struct configured_command command = {
		.name = "run",
		.table = configured_known(),
		.flags = POPT_CONTEXT_POSIXMEHARDER,
		.main = run_words,
		.far = far_run,
	};

	return configured_main(&command, argc, argv);
}

const struct command cmd_run = {
	.name = "run",
	.summary = "start a program and measure it and all that it starts",
	.main = run_main,
};
