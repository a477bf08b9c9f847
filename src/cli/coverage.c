/* `trammel coverage`: see man/trammel-coverage.1.md. */
#include "cli/arguments.h"
#include "cli/commands.h"

#include "coverage/coverage.h"
#include "report/text/report.h"
#include "session/options.h"

#include <stdio.h>
#include <string.h>

enum { LIMIT_USUAL = 30 };

static struct {
	int json, lcov, functions, missed, all, no_pager, help;
	char *process, *module, *source, *limit, *colour;
	struct arguments_words files;
} arguments;

static const struct poptOption option_table[] = {
	{"functions", 'f', POPT_ARG_NONE, &arguments.functions, 0,
	 "a row for each function, with its place in the source", NULL},
	{"missed", 'm', POPT_ARG_NONE, &arguments.missed, 0,
	 "only files or functions that were not executed in full", NULL},
	{"process", 0, POPT_ARG_STRING, &arguments.process, 0,
	 "only what this process executed", "PID"},
	{"module", 0, POPT_ARG_STRING, &arguments.module, 0,
	 "only modules whose name or path matches the shell pattern", "GLOB"},
	{"source", 0, POPT_ARG_STRING, &arguments.source, 0,
	 "only source files whose path matches the shell pattern", "GLOB"},
	{"limit", 'n', POPT_ARG_STRING, &arguments.limit, 0,
	 "at most N rows a table; the default is 30", "N"},
	{"all", 'a', POPT_ARG_NONE, &arguments.all, 0, "all rows", NULL},
	{"lcov", 0, POPT_ARG_NONE, &arguments.lcov, 0,
	 "a tracefile for lcov and genhtml, with real counts", NULL},
	{"json", 0, POPT_ARG_NONE, &arguments.json, 0, "one JSON object, with all rows",
	 NULL},
	{"color", 0, POPT_ARG_STRING, &arguments.colour, 0,
	 "colours: auto (the default: on a terminal), always or never", "WHEN"},
	{"no-pager", 0, POPT_ARG_NONE, &arguments.no_pager, 0,
	 "do not page reports longer than the screen", NULL},
	{"help", 'h', POPT_ARG_NONE, &arguments.help, 0, "show this help", NULL},
	POPT_TABLEEND};

/* What one of the runs was to measure. */
struct wish {
	struct session_options *runs;
	size_t count;
};

static struct wish read_wish(const struct report_profile *profile)
{
	struct wish wish = {.count = profile->runs.count};

	wish.runs = memory_allocate_zeroed(wish.count, sizeof(*wish.runs));
	for (size_t i = 0; i < wish.count; i++) {
		const struct report_run *run = &profile->runs.items[i];

		patterns_add(&wish.runs[i].only, report_run_text(run, "run.only"));
		patterns_add(&wish.runs[i].skip, report_run_text(run, "run.skip"));
	}
	return wish;
}

static void forget_wish(struct wish *wish)
{
	for (size_t i = 0; i < wish->count; i++) {
		patterns_deinit(&wish->runs[i].only);
		patterns_deinit(&wish->runs[i].skip);
	}
	free(wish->runs);
}

static bool is_wanted(void *context, const char *module_path, const char *function)
{
	const struct wish *wish = context;

	for (size_t i = 0; i < wish->count; i++)
		if (options_want_function(&wish->runs[i], module_path, function))
			return true;
	return false;
}

static struct trm_error *read_options(struct coverage_options *options,
				      struct report_filter *filter)
{
	static const char *const colours[] = {"auto", "always", "never", NULL};
	int chosen_colour;
	uint64_t limit;

	if (arguments.files.count != 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"one profile is shown, not %zu: trammel coverage "
					"FILE",
					arguments.files.count);
	if (arguments.lcov && arguments.json)
		return trm_error_create(TRM_ERROR_USAGE,
					"--lcov and --json are two outputs: choose one");
	TRM_TRY(arguments_choose("color", arguments.colour, colours, &chosen_colour));
	TRM_TRY(arguments_number("limit", arguments.limit, 1, &limit));
	TRM_TRY(arguments_number("process", arguments.process, 0, &filter->process));
	filter->one_process = arguments.process != NULL;
	filter->module = arguments.module;
	*options = (struct coverage_options){
		.functions = arguments.functions,
		.missed = arguments.missed,
		.limit = arguments.all ? SIZE_MAX
			 : limit       ? limit
				       : LIMIT_USUAL,
		.colour = report_colour_on(stdout, (enum report_colour)chosen_colour),
	};
	return NULL;
}

/* A tracefile has no room for what it lacks. */
static void warn_of_lacks(const struct coverage *coverage, size_t files)
{
	size_t unmeasured = 0;

	vector_for_each (&coverage->profile->images, image)
		unmeasured += image->selected && *image->reason;
	if (unmeasured)
		fprintf(stderr,
			"trammel: warning: processes that were not measured, or not to "
			"their end: %zu (trammel report names them)\n",
			unmeasured);
	vector_for_each (&coverage->modules, module)
		if (module->trouble)
			fprintf(stderr, "trammel: warning: %s of '%s': %s\n",
				module->has_lines ? "not all functions"
						  : "no source lines",
				module->module->path, module->trouble);
	if (!files)
		fputs("trammel: warning: the tracefile is empty: no module has debug "
		      "information, compile with -g or install debug files\n",
		      stderr);
}

static struct trm_error *show(const struct coverage *coverage,
			      struct coverage_options *options)
{
	bool page = !arguments.no_pager && !arguments.json && !arguments.lcov;
	struct text text = {0};
	size_t lines;

	report_terminal_size(stdout, &options->width, &lines);
	if (arguments.lcov)
		warn_of_lacks(coverage, coverage_lcov(coverage, &text));
	else if (arguments.json)
		coverage_json(coverage, &text);
	else
		coverage_text(coverage, options, &text);
	struct trm_error *error = arguments_show(&text, page ? lines : 0);

	text_deinit(&text);
	return error;
}

static struct trm_error *cover(struct report_profile *profile,
			       const struct report_filter *filter,
			       struct coverage_options *options)
{
	struct coverage covered;

	TRM_TRY(report_profile_select(profile, filter));
	struct wish wish = read_wish(profile);

	coverage_init(&covered, profile, &(struct coverage_wish){&wish, is_wanted},
		      arguments.source);
	struct trm_error *error = show(&covered, options);

	coverage_deinit(&covered);
	forget_wish(&wish);
	return error;
}

static struct trm_error *run(int argc, const char **argv)
{
	struct report_profile *profile;
	struct coverage_options options;
	struct report_filter filter = {0};

	TRM_TRY(arguments_parse("coverage", argc, argv, option_table, &arguments.files));
	if (arguments.help) {
		arguments_print_help("Usage: trammel coverage [OPTION]... FILE\n"
				     "Shows what was executed, by source file.\n",
				     option_table);
		return NULL;
	}
	TRM_TRY(read_options(&options, &filter));
	TRM_TRY(report_profile_load(arguments.files.items[0], &profile));
	if (profile->warning)
		fprintf(stderr, "trammel: warning: %s\n", profile->warning);
	struct trm_error *error = cover(profile, &filter, &options);

	report_profile_destroy(profile);
	return error;
}

int cmd_coverage(int argc, const char **argv)
{
	int status = arguments_status(run(argc, argv), EXIT_DONE);

	arguments_reset(option_table, &arguments.files);
	return status;
}
