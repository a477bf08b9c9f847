/* `trammel coverage`: see man/trammel-coverage.1.md. */
#include "cli/commands.h"
#include "cli/exports/covering.h"
#include "cli/showing.h"
#include "coverage/show.h"

#include "coverage/coverage.h"

#include <stdio.h>
#include <string.h>

static struct {
	struct showing shown;
	int lcov, keep_missing, functions, missed;
	char *source;
} arguments;

static const struct poptOption option_table[] = {
	{"functions", 'f', POPT_ARG_NONE, &arguments.functions, 0,
	 "a row for each function, with its place in the source", NULL},
	{"missed", 'm', POPT_ARG_NONE, &arguments.missed, 0,
	 "only files or functions that were not executed in full", NULL},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	{"source", 0, POPT_ARG_STRING, &arguments.source, 0,
	 "only source files whose path matches the shell pattern", "GLOB"},
	SHOWING_SORT(arguments.shown),
	SHOWING_LIMIT(arguments.shown),
	SHOWING_ALL(arguments.shown),
	SHOWING_COLUMNS(arguments.shown),
	SHOWING_CSV(arguments.shown),
	{"lcov", 0, POPT_ARG_NONE, &arguments.lcov, 0,
	 "a tracefile for lcov and genhtml, with real counts", NULL},
	{"keep-missing", 0, POPT_ARG_NONE, &arguments.keep_missing, 0,
	 "with --lcov: with source files that do not exist here, too", NULL},
	SHOWING_PRINT(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *read_options(struct coverage_options *options)
{
	if (arguments.shown.words.count != 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"one profile is shown, not %zu: trammel coverage "
					"FILE",
					arguments.shown.words.count);
	if (arguments.lcov && arguments.shown.json)
		return trm_error_create(TRM_ERROR_USAGE,
					"--lcov and --json are two outputs: choose one");
	if (arguments.keep_missing && !arguments.lcov)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--keep-missing is for --lcov: other outputs have "
			"all source files");
	*options = (struct coverage_options){
		.functions = arguments.functions,
		.missed = arguments.missed,
		.width = showing_width(),
	};
	TRM_TRY(showing_colour(&arguments.shown, &options->colour));
	return showing_limit(&arguments.shown, &options->limit);
}

static struct trm_error *show_coverage(const struct coverage *coverage,
				       const struct coverage_options *options)
{
	struct text text = {0};

	if (arguments.lcov)
		covering_tracefile(coverage, arguments.keep_missing, &text);
	else if (arguments.shown.json)
		coverage_json(coverage, &text);
	else
		coverage_text(coverage, options, &text);
	return showing_print(&arguments.shown, &text, !arguments.lcov);
}

static struct trm_error *cover_profile(const struct report_profile *profile,
				       const struct coverage_options *options)
{
	struct coverage covered;

	covering_init(&covered, profile, arguments.source);
	struct trm_error *error = show_coverage(&covered, options);

	coverage_deinit(&covered);
	return error;
}

static struct trm_error *run_coverage(int *ret_status)
{
	scoped_profile struct report_profile *profile = NULL;
	struct coverage_options options;
	struct report_filter filter;

	(void)ret_status;
	TRM_TRY(read_options(&options));
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY(showing_load(arguments.shown.words.items[0], &filter, &profile));
	return cover_profile(profile, &options);
}

const struct command cmd_coverage = {
	.name = "coverage",
	.summary = "show what was executed, by source file",
	.usage = "Usage: trammel coverage [OPTION]... FILE\n"
		 "Shows what was executed, by source file.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 1,
	.run = run_coverage,
};
