/* `trammel diff`: see man/trammel-diff.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"
#include "join/compare_show.h"
#include "report/diff/diff.h"
#include "report/diff/records.h"
#include "report/diff/records_show.h"
#include "report/diff/show.h"
#include "report/runs.h"
#include "report/select.h"
#include "report/text/report.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct showing shown;
	char *by, *of, *threshold;
} arguments;

static const struct poptOption option_table[] = {
	{"by", 0, POPT_ARG_STRING, &arguments.by, 0,
	 "what a row is: function (the default), module, program, block, edge, arc, "
	 "tool, probe, or attributes",
	 "WHAT"},
	{"of", 0, POPT_ARG_STRING, &arguments.of, 0,
	 "what is compared by attributes: instructions, samples, calls, time, or an "
	 "attribute",
	 "WHAT"},
	{"sort", 0, POPT_ARG_STRING, &arguments.shown.sort, 0,
	 "order of the rows: difference (the default), ratio, name, module or "
	 "instructions, or a column's title",
	 "KEY"},
	SHOWING_MODULE(arguments.shown),
	{"threshold", 't', POPT_ARG_STRING, &arguments.threshold, 0,
	 "what differs by at most PERCENT of A is equal; the default is 0", "PERCENT"},
	SHOWING_TABLES(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *read_threshold(double *ret_threshold)
{
	const char *given = arguments.threshold;
	char *end;

	*ret_threshold = 0;
	if (!given)
		return NULL;
	errno = 0;
	*ret_threshold = strtod(given, &end);
	if (!isdigit((unsigned char)*given) || *end || errno || !isfinite(*ret_threshold))
		return trm_error_create(TRM_ERROR_USAGE,
					"--threshold '%s' is not a number from 0 up",
					given);
	return NULL;
}

static const char *const known_by[] = {"function", "module", "program", "block", "edge",
				       "arc",      "tool",   "probe",   NULL};

/* Whether rows are told apart by attributes: several, or one that is no word of ours. */
static bool is_by_attributes(void)
{
	if (!arguments.by)
		return arguments.of != NULL;
	for (const char *const *word = known_by; *word && !arguments.of; word++)
		if (!strcmp(*word, arguments.by) || text_is_near(arguments.by, *word))
			return false;
	return true;
}

static struct trm_error *read_options(struct diff_options *options)
{
	static const char *const sorts[] = {"difference", "ratio",        "name",
					    "module",     "instructions", NULL};
	int chosen_by, chosen_sort;

	TRM_TRY(arguments_choose("by", is_by_attributes() ? NULL : arguments.by, known_by,
				 &chosen_by));
	TRM_TRY(showing_sort(&arguments.shown, sorts, &chosen_sort));
	TRM_TRY(showing_colour(&arguments.shown, &options->colour));
	TRM_TRY(showing_limit(&arguments.shown, &options->limit));
	TRM_TRY(read_threshold(&options->threshold));
	options->by = (enum diff_by)chosen_by;
	options->sort = (enum diff_sort)chosen_sort;
	options->module = arguments.shown.module;
	options->width = showing_width();
	for (int side = DIFF_A; side < DIFF_SIDES; side++)
		options->files[side] = arguments.shown.words.items[side];
	return NULL;
}

static struct trm_error *show_diff(const struct diff *diff,
				   const struct diff_options *options)
{
	struct text text = {0};

	if (arguments.shown.json)
		report_diff_json(diff, options, &text);
	else
		report_diff_text(diff, options, &text);
	return showing_print(&arguments.shown, &text, true);
}

static struct trm_error *compare_functions(const struct report_profile *a,
					   const struct report_profile *b,
					   const struct diff_options *options,
					   int *ret_status)
{
	struct diff diff;

	TRM_TRY(report_diff(a, b, options, &diff));
	*ret_status = diff.rows.count ? EXIT_FINDING : EXIT_DONE;
	struct trm_error *error = show_diff(&diff, options);

	report_diff_deinit(&diff);
	return error;
}

/* What profiles of tools or probes alone are compared by. */
static enum diff_by default_by(const struct report_profile *a,
			       const struct report_profile *b)
{
	static const struct {
		const char *measure;
		enum diff_by by;
	} rows[] = {{"tools", DIFF_BY_TOOL}, {"probes", DIFF_BY_PROBE}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(report_run_text(&a->runs.items[0], "run.measure"),
			    rows[i].measure) &&
		    record_diff_has(a, rows[i].by) && record_diff_has(b, rows[i].by))
			return rows[i].by;
	return DIFF_BY_FUNCTION;
}

static struct trm_error *compare_records(const struct report_profile *a,
					 const struct report_profile *b,
					 const struct diff_options *options,
					 int *ret_status)
{
	struct record_diff diff;
	struct text text = {0};

	TRM_TRY(record_diff_make(a, b, options, &diff));
	*ret_status = diff.rows.count ? EXIT_FINDING : EXIT_DONE;
	(arguments.shown.json ? record_diff_json : record_diff_text)(&diff, options,
								     &text);
	record_diff_deinit(&diff);
	return showing_print(&arguments.shown, &text, true);
}

static struct trm_error *show_comparison(const struct diff_options *from, int *ret_status)
{
	const struct compare_options options = {
		.by = arguments.by ? arguments.by : "function",
		.of = arguments.of,
		.threshold = from->threshold,
		.files = {from->files[DIFF_A], from->files[DIFF_B]},
		.limit = from->limit,
		.colour = from->colour,
		.width = from->width,
	};
	struct comparison comparison;
	struct text text = {0};
	struct trm_error *error = compare_profiles(&comparison, &options);

	text_print_warnings(&comparison.warnings, "trammel");
	if (!error) {
		(arguments.shown.json ? comparison_json
				      : comparison_text)(&comparison, &options, &text);
		*ret_status = comparison.rows.count ? EXIT_FINDING : EXIT_DONE;
		error = showing_print(&arguments.shown, &text, true);
	}
	comparison_deinit(&comparison);
	return error;
}

static struct trm_error *run_diff(int *ret_status)
{
	scoped_profile struct report_profile *a = NULL;
	scoped_profile struct report_profile *b = NULL;
	struct diff_options options = {0};

	if (arguments.shown.words.count != DIFF_SIDES)
		return trm_error_create(TRM_ERROR_USAGE,
					"two profiles are compared, not %zu: trammel "
					"diff A B",
					arguments.shown.words.count);
	TRM_TRY(read_options(&options));
	if (is_by_attributes())
		return show_comparison(&options, ret_status);
	TRM_TRY(showing_load(options.files[DIFF_A], &(struct report_filter){0}, &a));
	TRM_TRY(showing_load(options.files[DIFF_B], &(struct report_filter){0}, &b));
	if (!arguments.by)
		options.by = default_by(a, b);
	return options.by >= DIFF_BY_TOOL ? compare_records(a, b, &options, ret_status)
					  : compare_functions(a, b, &options, ret_status);
}

const struct command cmd_diff = {
	.name = "diff",
	.summary = "show what is different between two profiles",
	.usage = "Usage: trammel diff [OPTION]... A B\n"
		 "Shows what is different between two profiles.\n"
		 "The exit status is 0 if nothing is, else 1.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_diff,
};
