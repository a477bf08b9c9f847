/* `trammel report`: see man/trammel-report.1.md. */
#include "annotate/check_show.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "cli/showing.h"
#include "report/runs.h"

#include "annotate/check.h"
#include "base/array.h"
#include "report/json/json.h"
#include "report/text/report.h"

#include <stdio.h>
#include <string.h>

/* The command line; all strings are popt's copies. */
static struct {
	struct showing shown;
	int verbose, check;
	char *html, *by, *callers, *callees;
} arguments;

static const struct poptOption option_table[] = {
	{"by", 0, POPT_ARG_STRING, &arguments.by, 0,
	 "what a row is: function (the default), module, process, block, edge, arc, "
	 "interval, thread, region or callgraph",
	 "WHAT"},
	{"callers", 0, POPT_ARG_STRING, &arguments.callers, 0,
	 "from where functions whose names match are called", "GLOB"},
	{"callees", 0, POPT_ARG_STRING, &arguments.callees, 0,
	 "what functions whose names match call", "GLOB"},
	{"sort", 0, POPT_ARG_STRING, &arguments.shown.sort, 0,
	 "order: calls, name, module, instructions, bytes or samples, or a column's "
	 "title",
	 "KEY"},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_INTERVAL(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_LIMIT(arguments.shown),
	SHOWING_ALL(arguments.shown),
	SHOWING_COLUMNS(arguments.shown),
	SHOWING_CSV(arguments.shown),
	{"verbose", 'v', POPT_ARG_NONE, &arguments.verbose, 0,
	 "name the functions that were not instrumented", NULL},
	{"html", 0, POPT_ARG_STRING, &arguments.html, 0,
	 "write a page to look at instead, as 'trammel page' does", "FILE"},
	{"check", 0, POPT_ARG_NONE, &arguments.check, 0,
	 "say whether all counts of blocks, edges and calls can be true", NULL},
	SHOWING_PRINT(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *check_files(void)
{
	if (!arguments.shown.words.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"no file: trammel report FILE, a profile that "
					"trammel run wrote");
	if (arguments.shown.words.count > 1)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"one file at a time, not '%s' too: trammel merge makes one "
			"profile of several",
			arguments.shown.words.items[1]);
	return NULL;
}

static struct trm_error *read_options(struct report_options *options)
{
	static const char *const by[] = {"function", "module",    "process",  "block",
					 "edge",     "arc",       "interval", "thread",
					 "region",   "callgraph", NULL};
	static const char *const sorts[] = {"calls", "name",    "module", "instructions",
					    "bytes", "samples", NULL};
	int chosen_by, chosen_sort;
	bool colour;
	size_t limit;

	TRM_TRY(arguments_choose("by", arguments.by, by, &chosen_by));
	TRM_TRY(showing_sort(&arguments.shown, sorts, &chosen_sort));
	TRM_TRY(showing_colour(&arguments.shown, &colour));
	TRM_TRY(showing_limit(&arguments.shown, &limit));
	if ((arguments.callers || arguments.callees) && !arguments.by)
		chosen_by = REPORT_BY_ARC;
	if ((arguments.callers || arguments.callees) && chosen_by != REPORT_BY_ARC)
		return trm_error_create(TRM_ERROR_USAGE,
					"--callers and --callees show arcs: not --by %s",
					arguments.by);
	*options = (struct report_options){
		.by = (enum report_by)chosen_by,
		.sort = (enum report_sort)chosen_sort,
		.arcs = {arguments.callers, arguments.callees},
		.limit = limit,
		.verbose = arguments.verbose,
		.colour = colour ? REPORT_COLOUR_ALWAYS : REPORT_COLOUR_NEVER,
		.width = showing_width(),
	};
	return NULL;
}

/* Whether a part of a run begins where it may be, in the middle of functions: where
 * counts follow from others, or of a process that ran before, it is known where that is.
 */
static bool begins_anywhere(const struct report_run *run)
{
	const char *measure = report_run_text(run, "run.measure");

	return !strstr(measure, "edges") && !strstr(measure, "pbo") &&
	       !report_run_global(run, "attach.stop.ns");
}

/* Counts of a part of a run begin in the middle of functions. Intervals alone leave it
 * whole. */
static bool is_of_windows(const struct report_profile *profile)
{
	vector_for_each (&profile->runs, run) {
		const char *asked = report_run_text(run, "run.window");

		if (begins_anywhere(run) &&
		    (arguments.shown.interval ||
		     (*asked &&
		      (strncmp(asked, "--interval", 10) || strstr(asked, " --")))))
			return true;
	}
	return false;
}

/* What the rows of a table are measured with, up to NULL. */
enum { ROWS_MEASURES = 5 };
static const char *const with_edges[ROWS_MEASURES] = {"edges", "pbo"};
static const char *const with_calls[ROWS_MEASURES] = {"calls"};
static const char *const with_contexts[ROWS_MEASURES] = {"callgraph"};
static const char *const with_regions[ROWS_MEASURES] = {"regions", "trace", "mpi",
							"openmp"};

/* What was measured may be nothing, as in an interval in which the program slept. */
static struct trm_error *check_counts(const struct report_profile *profile,
				      const struct report_options *options)
{
	const char *path = arguments.shown.words.items[0];

	if (arguments.check && is_of_windows(profile))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"'%s' is of a part of a run, which begins in the middle of "
			"functions: only counts of whole runs can be checked",
			path);
	if (options->by == REPORT_BY_ARC && !report_has_measured(profile, with_calls))
		TRM_TRY(showing_need_calls(profile, path));
	if (options->sort == REPORT_SORT_BYTES && !profile->memory)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"no loads and stores in '%s': measure with trammel run -m memory",
			path);
	if (options->by != REPORT_BY_BLOCK && options->sort != REPORT_SORT_INSTRUCTIONS &&
	    (!arguments.check || profile->arcs.count))
		return NULL;
	if (arguments.shown.interval && report_has_measured_blocks(profile))
		return NULL;
	return showing_need_blocks(profile, path);
}

/* What a row is to be must be there. */
static struct trm_error *check_rows(const struct report_profile *profile,
				    const struct report_options *options)
{
	const struct {
		enum report_by by;
		size_t count;
		const char *what, *remedy;
		const char *const *measures; /* that it comes of, or NULL */
	} rows[] = {
		{REPORT_BY_EDGE, profile->edges.count, "counts of edges", "-m edges",
		 with_edges},
		{REPORT_BY_INTERVAL, profile->intervals.count, "intervals",
		 "--interval 1s", NULL},
		{REPORT_BY_REGION, profile->regions.nodes.count, "regions", "-m regions",
		 with_regions},
		{REPORT_BY_GRAPH, profile->graph.nodes.count + profile->with_callers,
		 "call graph with contexts", "-m callgraph", with_contexts},
		{REPORT_BY_THREAD, profile->threads.count, "counts of single threads",
		 "--threads", NULL},
	};

	for (size_t i = 0; i < array_count(rows); i++)
		if (options->by == rows[i].by && !rows[i].count &&
		    !(rows[i].measures && report_has_measured(profile, rows[i].measures)))
			return trm_error_create(
				TRM_ERROR_USAGE,
				"no %s in '%s': measure with trammel run %s",
				rows[i].what, arguments.shown.words.items[0],
				rows[i].remedy);
	return NULL;
}

static struct trm_error *report_profile(const struct report_profile *profile,
					const struct report_options *options)
{
	struct text text = {0};

	if (arguments.shown.json)
		report_json(profile, options, &text);
	else
		report_text(profile, options, &text);
	return showing_print(&arguments.shown, &text, true);
}

static struct trm_error *check_profile(const struct report_profile *profile,
				       const struct report_options *options,
				       int *ret_status)
{
	struct text text = {0};
	struct check check;

	check_init(&check, profile);
	if (arguments.shown.json)
		check_json(&check, profile, &text);
	else
		check_text(&check, profile, options->limit, &text);
	*ret_status = check.faults ? EXIT_FINDING : EXIT_DONE;
	check_deinit(&check);
	return showing_print(&arguments.shown, &text, true);
}

static struct trm_error *run_report(int *ret_status)
{
	scoped_profile struct report_profile *profile = NULL;
	struct report_options options;
	struct report_filter filter;

	TRM_TRY(check_files());
	TRM_TRY(read_options(&options));
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY(showing_load(arguments.shown.words.items[0], &filter, &profile));
	if (arguments.html)
		return page_write_one(arguments.shown.words.items[0], profile,
				      arguments.html);
	if (!arguments.shown.sort && options.by == REPORT_BY_FUNCTION &&
	    profile->events.count)
		options.sort = REPORT_SORT_SAMPLES;
	TRM_TRY(check_counts(profile, &options));
	TRM_TRY(check_rows(profile, &options));
	return arguments.check ? check_profile(profile, &options, ret_status)
			       : report_profile(profile, &options);
}

const struct command cmd_report = {
	.name = "report",
	.summary = "show a profile",
	.usage = "Usage: trammel report [OPTION]... FILE\n"
		 "Shows a profile that `trammel run` wrote.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 1,
	.run = run_report,
};
