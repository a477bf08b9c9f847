/* `trammel report`: see man/trammel-report.1.md. */
#include "cli/arguments.h"
#include "cli/commands.h"

#include "annotate/check.h"
#include "report/json/json.h"
#include "report/text/report.h"

#include <stdio.h>
#include <string.h>

/* The command line, words as given; all strings are popt's copies. */
struct arguments {
	int json, all, verbose, check, no_pager, help;
	char *by, *process, *interval, *module, *limit, *sort, *colour;
	struct arguments_words files;
};

static struct arguments arguments;

static const struct poptOption option_table[] = {
	{"by", 0, POPT_ARG_STRING, &arguments.by, 0,
	 "what a row is: function (the default), module, process, block, interval or "
	 "thread",
	 "WHAT"},
	{"sort", 0, POPT_ARG_STRING, &arguments.sort, 0,
	 "order of the rows: calls (the default), name, module or instructions", "KEY"},
	{"process", 0, POPT_ARG_STRING, &arguments.process, 0,
	 "only what this process executed", "PID"},
	{"interval", 0, POPT_ARG_STRING, &arguments.interval, 0,
	 "only the counts of this interval", "N"},
	{"module", 0, POPT_ARG_STRING, &arguments.module, 0,
	 "only modules whose name or path matches the shell pattern", "GLOB"},
	{"limit", 'n', POPT_ARG_STRING, &arguments.limit, 0,
	 "at most N rows a table; the default is 30", "N"},
	{"all", 'a', POPT_ARG_NONE, &arguments.all, 0, "all rows", NULL},
	{"verbose", 'v', POPT_ARG_NONE, &arguments.verbose, 0,
	 "name the functions that were not instrumented", NULL},
	{"check", 0, POPT_ARG_NONE, &arguments.check, 0,
	 "say whether all counts of blocks can be true", NULL},
	{"json", 0, POPT_ARG_NONE, &arguments.json, 0, "one JSON object, with all rows",
	 NULL},
	{"color", 0, POPT_ARG_STRING, &arguments.colour, 0,
	 "colours: auto (the default: on a terminal), always or never", "WHEN"},
	{"no-pager", 0, POPT_ARG_NONE, &arguments.no_pager, 0,
	 "do not page reports longer than the screen", NULL},
	{"help", 'h', POPT_ARG_NONE, &arguments.help, 0, "show this help", NULL},
	POPT_TABLEEND};

static struct trm_error *check_files(void)
{
	if (!arguments.files.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"no file: trammel report FILE, a profile that "
					"trammel run wrote");
	if (arguments.files.count > 1)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"one file at a time, not '%s' too: trammel merge makes one "
			"profile of several",
			arguments.files.items[1]);
	return NULL;
}

static struct trm_error *read_options(struct report_options *options,
				      struct report_filter *filter)
{
	static const char *const by[] = {"function", "module", "process", "block",
					 "interval", "thread", NULL};
	static const char *const sorts[] = {"calls", "name", "module", "instructions",
					    NULL};
	static const char *const colours[] = {"auto", "always", "never", NULL};
	int chosen_by, chosen_sort, chosen_colour;
	uint64_t limit;

	TRM_TRY(arguments_choose("by", arguments.by, by, &chosen_by));
	TRM_TRY(arguments_choose("sort", arguments.sort, sorts, &chosen_sort));
	TRM_TRY(arguments_choose("color", arguments.colour, colours, &chosen_colour));
	TRM_TRY(arguments_number("limit", arguments.limit, 1, &limit));
	TRM_TRY(arguments_number("process", arguments.process, 0, &filter->process));
	filter->one_process = arguments.process != NULL;
	filter->module = arguments.module;
	*options = (struct report_options){
		.by = (enum report_by)chosen_by,
		.sort = (enum report_sort)chosen_sort,
		.limit = limit,
		.all = arguments.all,
		.verbose = arguments.verbose,
	};
	options->colour = report_colour_on(stdout, (enum report_colour)chosen_colour)
				  ? REPORT_COLOUR_ALWAYS
				  : REPORT_COLOUR_NEVER;
	return NULL;
}

/* Counts of a part of a run begin in the middle of functions. Intervals alone leave it
 * whole. */
static bool is_of_windows(const struct report_profile *profile)
{
	vector_for_each (&profile->runs, run) {
		const char *asked = report_run_text(run, "run.window");

		if (*asked && (strncmp(asked, "--interval", 10) || strstr(asked, " --")))
			return true;
	}
	return arguments.interval != NULL;
}

static struct trm_error *check_blocks(const struct report_profile *profile,
				      const struct report_options *options)
{
	if (options->by == REPORT_BY_THREAD && !profile->threads.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"no threads are told apart in '%s': measure with "
					"trammel run --threads",
					arguments.files.items[0]);
	if (options->by == REPORT_BY_INTERVAL && !profile->intervals.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"no intervals in '%s': measure with trammel run "
					"--interval 1s",
					arguments.files.items[0]);
	if (arguments.check && is_of_windows(profile))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"'%s' is of a part of a run, which begins in the middle of "
			"functions: only counts of whole runs can be checked",
			arguments.files.items[0]);
	if (profile->blocks.count ||
	    (options->by != REPORT_BY_BLOCK &&
	     options->sort != REPORT_SORT_INSTRUCTIONS && !arguments.check))
		return NULL;
	return trm_error_create(TRM_ERROR_USAGE,
				"no counts of blocks in '%s': measure with trammel run "
				"-m blocks",
				arguments.files.items[0]);
}

static struct trm_error *report_profile(const struct report_profile *profile,
					struct report_options *options)
{
	struct text text = {0};
	size_t lines;
	struct trm_error *error;

	report_terminal_size(stdout, &options->width, &lines);
	if (arguments.json)
		report_json(profile, options, &text);
	else
		report_text(profile, options, &text);
	error = arguments_show(&text, arguments.json || arguments.no_pager ? 0 : lines);
	text_deinit(&text);
	return error;
}

static struct trm_error *check_profile(const struct report_profile *profile,
				       const struct report_options *options,
				       int *ret_status)
{
	size_t limit = options->all ? SIZE_MAX : options->limit ? options->limit : 30;
	struct text text = {0};
	size_t columns, lines;
	struct check check;

	check_init(&check, profile);
	report_terminal_size(stdout, &columns, &lines);
	if (arguments.json)
		check_json(&check, profile, &text);
	else
		check_text(&check, profile, limit, &text);
	*ret_status = check.faults ? EXIT_FINDING : EXIT_DONE;
	struct trm_error *error =
		arguments_show(&text, arguments.json || arguments.no_pager ? 0 : lines);

	text_deinit(&text);
	check_deinit(&check);
	return error;
}

static struct trm_error *report(int argc, const char **argv, int *ret_status)
{
	struct report_profile *profile;
	struct report_options options;
	struct report_filter filter;
	uint64_t interval;

	TRM_TRY(arguments_parse("report", argc, argv, option_table, &arguments.files));
	if (arguments.help) {
		arguments_print_help("Usage: trammel report [OPTION]... FILE\n"
				     "Shows a profile that `trammel run` wrote.\n",
				     option_table);
		return NULL;
	}
	TRM_TRY(check_files());
	TRM_TRY(read_options(&options, &filter));
	TRM_TRY(arguments_number("interval", arguments.interval, 1, &interval));
	TRM_TRY(report_profile_load_interval(arguments.files.items[0], interval,
					     &profile));
	if (profile->warning)
		fprintf(stderr, "trammel: warning: %s\n", profile->warning);
	struct trm_error *error = report_profile_select(profile, &filter);

	if (!error)
		error = check_blocks(profile, &options);
	if (!error && arguments.check)
		error = check_profile(profile, &options, ret_status);
	else if (!error)
		error = report_profile(profile, &options);
	report_profile_destroy(profile);
	return error;
}

int cmd_report(int argc, const char **argv)
{
	int status = EXIT_DONE;
	struct trm_error *error = report(argc, argv, &status);

	status = arguments_status(error, status);
	arguments_reset(option_table, &arguments.files);
	return status;
}
