/* `trammel attach`: see man/trammel-attach.1.md. */
#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/far/far.h"
#include "cli/measuring.h"
#include "cli/options/configured.h"
#include "cli/saving.h"
#include "session/run/attach.h"

#include <errno.h>
#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_help(poptContext context)
{
	poptSetOtherOptionHelp(context, "[OPTION...] -p PID");
	poptPrintHelp(context, stdout, 0);
	measuring_print_help();
	puts("Ctrl-C ends the measurement; the process runs on.\n"
	     "The profile goes to PROGRAM.trm; see it with 'trammel report'.");
}

static bool parse_pid(const char *text, pid_t *ret_pid)
{
	char *end;

	errno = 0;
	long number = strtol(text, &end, 10);

	*ret_pid = (pid_t)number;
	return !errno && *text && !*end && number > 0 && number <= INT_MAX;
}

static int print_usage_error(struct trm_error *error)
{
	trm_error_print(error);
	return EXIT_USAGE + 1;
}

/* 0: go on; else the exit status plus 1. */
static int parse_attach(poptContext context, struct measuring *given,
			const char *const *pid, struct attach_request *request)
{
	int status = measuring_parse(context, given, "attach", print_help);

	if (status)
		return status;
	if (!*pid)
		return print_usage_error(trm_error_create(
			TRM_ERROR_USAGE, "no process: trammel attach -p PID --for 10s"));
	if (!parse_pid(*pid, &request->pid))
		return print_usage_error(trm_error_create(
			TRM_ERROR_USAGE, "--pid '%s' is not a process number", *pid));
	if (poptPeekArg(context))
		return print_usage_error(trm_error_create(
			TRM_ERROR_USAGE,
			"unexpected argument '%s'. See 'trammel help attach'.",
			poptPeekArg(context)));
	return 0;
}

static void say_begun(pid_t pid)
{
	fprintf(stderr, "trammel: measuring process %d; Ctrl-C ends that\n", pid);
}

/* The name of a process's program; "process" if it is not to be had, which is told
 * later. */
static const char *program_of(pid_t pid, char *path, size_t size)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	ssize_t length = readlink(link, path, size - 1);

	if (length <= 0)
		return "process";
	path[length] = '\0';
	/* What the kernel says of a program whose file is gone. */
	char *deleted = strstr(path, " (deleted)");

	if (deleted)
		*deleted = '\0';
	return path;
}

static int measure_process(struct measuring *given, struct attach_request *request,
			   const char *database)
{
	char path[PATH_MAX];

	if (!measuring_complete(given, program_of(request->pid, path, sizeof(path))))
		return EXIT_USAGE;
	request->begun = given->quiet ? NULL : say_begun;
	struct trm_error *error = database ? saving_check(database) : NULL;

	if (!error)
		error = session_attach(&given->options, request);
	if (error) {
		trm_error_print(error);
		return EXIT_FAILED;
	}
	measuring_summarize(given);
	return saving_finish(database, given->options.output) ? EXIT_DONE : EXIT_FAILED;
}

/* With what the command line says. */
static int attach_words(int argc, const char **argv)
{
	struct measuring given = {0};
	struct attach_request request = {0};
	char *pid = NULL, *database = NULL;
	struct poptOption table[] = {
		{"pid", 'p', POPT_ARG_STRING, &pid, 0, "the process to measure", "PID"},
		MEASURING_OPTIONS(given),
		SAVING_OPTION(database),
		MEASURING_TOOLS,
		MEASURING_WAY_OPTIONS,
		MEASURING_LAST_OPTIONS(given),
		POPT_TABLEEND,
	};
	const char **named = memory_allocate((size_t)(argc + 1) * sizeof(*named));

	memcpy(named, argv, (size_t)(argc + 1) * sizeof(*named));
	named[0] = "trammel attach"; /* for the usage line */
	poptContext context = poptGetContext("trammel attach", argc, named, table, 0);
	int status =
		parse_attach(context, &given, (const char *const *)&pid, &request) - 1;

	if (status < 0)
		status = measure_process(&given, &request, saving_database(database));
	measuring_deinit(&given);
	free(pid);
	free(database);
	poptFreeContext(context);
	free(named);
	return status;
}

static int attach_main(int argc, const char **argv)
{
	static struct measuring none;
	static char *no_text;
	static const struct poptOption table[] = {
		{"pid", 'p', POPT_ARG_STRING, &no_text, 0, "the process to measure",
		 "PID"},
		MEASURING_OPTIONS(none),
		SAVING_OPTION(no_text),
		MEASURING_TOOLS,
		MEASURING_WAY_OPTIONS,
		MEASURING_LAST_OPTIONS(none),
		POPT_TABLEEND,
	};
	const struct configured_command command = {.name = "attach",
						   .table = table,
						   .main = attach_words,
						   .far = far_attach};

	return configured_main(&command, argc, argv);
}

const struct command cmd_attach = {
	.name = "attach",
	.summary = "measure a process that runs already, for a while",
	.main = attach_main,
};
