#include "cli/measuring.h"

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "report/text/report.h"

#include <stdio.h>
#include <string.h>

void measuring_print_help(void)
{
	puts("\nMeasurements (-m):");
	for (const struct collector *const *c = collectors; *c; c++)
		printf("  %-12s %s\n", (*c)->name, (*c)->summary);
	puts("\nPATTERN is a glob: FUNCTION, MODULE:FUNCTION, or MODULE: for whole "
	     "modules;\n"
	     "several are separated by commas. --skip wins over --only.\n");
}

static char *default_output(const char *program)
{
	const char *slash = strrchr(program, '/');
	struct text path = {0};

	text_format(&path, "%s.trm", slash ? slash + 1 : program);
	return path.data;
}

int measuring_parse(poptContext context, struct measuring *given, const char *command,
		    void (*help)(poptContext context))
{
	int option;

	while ((option = poptGetNextOpt(context)) > 0) {
		char *argument = poptGetOptArg(context);

		if (option == OPTION_HELP) {
			help(context);
			return EXIT_DONE + 1;
		}
		patterns_add(option == OPTION_ONLY ? &given->options.only
						   : &given->options.skip,
			     argument);
		free(argument);
	}
	if (option == -1)
		return 0;
	trm_error_print(trm_error_create(
		TRM_ERROR_USAGE, "%s: %s. See 'trammel help %s'.",
		poptBadOption(context, 0), poptStrerror(option), command));
	return EXIT_USAGE + 1;
}

static struct trm_error *read_calls(const char *text, enum calls *ret_calls)
{
	static const char *const names[] = {
		[CALLS_AUTO] = "auto",
		[CALLS_IN_PLACE] = "in-place",
		[CALLS_RELOCATED] = "relocated",
	};

	for (size_t i = 0; text && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*ret_calls = (enum calls)i;
		return NULL;
	}
	return text ? trm_error_create(TRM_ERROR_USAGE,
				       "--calls=%s: it is one of auto, in-place and "
				       "relocated",
				       text)
		    : NULL;
}

bool measuring_complete(struct measuring *given, const char *program)
{
	struct trm_error *error = collector_find(
		given->measure ? given->measure : "functions", &given->options.collector);

	if (!error)
		error = read_calls(given->calls, &given->options.calls);
	if (!given->output)
		given->output = default_output(program);
	given->options.output = given->output;
	given->options.quiet = given->quiet;
	given->options.verbose = given->verbose;
	if (error)
		trm_error_print(error);
	return !error;
}

void measuring_deinit(struct measuring *given)
{
	patterns_deinit(&given->options.only);
	patterns_deinit(&given->options.skip);
	free(given->output);
	free(given->measure);
	free(given->calls);
}

void measuring_summarize(const struct measuring *given)
{
	struct report_options report = {.verbose = given->verbose != 0};

	if (given->quiet)
		return;
	struct trm_error *error =
		report_text_summary(stderr, given->options.output, &report);

	if (error)
		trm_error_print(error);
}
