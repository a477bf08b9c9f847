/* `trammel coverage`: see man/trammel-coverage.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"
#include "coverage/lcov.h"
#include "coverage/show.h"
#include "report/runs.h"
#include "report/text/amounts.h"

#include "coverage/coverage.h"
#include "report/text/grid.h"
#include "report/text/head.h"
#include "report/text/report.h"
#include "session/options/options.h"

#include <ctype.h>
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
	SHOWING_LIMIT(arguments.shown),
	SHOWING_ALL(arguments.shown),
	{"lcov", 0, POPT_ARG_NONE, &arguments.lcov, 0,
	 "a tracefile for lcov and genhtml, with real counts", NULL},
	{"keep-missing", 0, POPT_ARG_NONE, &arguments.keep_missing, 0,
	 "with --lcov: with source files that do not exist here, too", NULL},
	SHOWING_PRINT(arguments.shown),
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

static bool is_wanted(void *context, const char *module_path, const struct image *image,
		      const char *function, uint64_t address)
{
	const struct wish *wish = context;

	for (size_t i = 0; i < wish->count; i++)
		if (options_want_function(&wish->runs[i], module_path, image, function,
					  address))
			return true;
	return false;
}

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

static void tell_trouble(const struct coverage_module *module)
{
	const char *kind = coverage_trouble_kind(module);

	if (module->trouble)
		fprintf(stderr, "trammel: warning: %c%s of '%s': %s\n", tolower(*kind),
			kind + 1, module->module->path, module->trouble);
}

/* A tracefile has no room for what it lacks. */
static void warn_of_lacks(const struct coverage *coverage)
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
		tell_trouble(module);
}

static void add_left_out(struct text *text, size_t count, const char *one,
			 const char *many)
{
	if (!count)
		return;
	text_add(text, text->length ? ", " : "");
	report_add_count(text, count, one, many);
}

static void tell_left_out(const struct coverage_left_out *left_out)
{
	struct text text = {0};

	add_left_out(&text, left_out->missing, "source file that does not exist here",
		     "source files that do not exist here");
	if (left_out->missing) {
		text_add(&text, ", such as '");
		report_add_visible(&text, left_out->example);
		text_add(&text, "' (--keep-missing keeps them)");
	}
	add_left_out(&text, left_out->generated, "name that is not of a file",
		     "names that are not of files");
	add_left_out(&text, left_out->lines, "line behind the end of its source file",
		     "lines behind the ends of their source files");
	if (text.length)
		fprintf(stderr, "trammel: left out of the tracefile: %s\n", text.data);
	text_deinit(&text);
}

static void make_tracefile(const struct coverage *coverage, struct text *text)
{
	struct coverage_left_out left_out;
	size_t files = coverage_lcov(coverage, arguments.keep_missing, &left_out, text);

	warn_of_lacks(coverage);
	tell_left_out(&left_out);
	if (!files)
		fprintf(stderr, "trammel: warning: the tracefile is empty: %s\n",
			coverage->files.count
				? "none of the source files is here"
				: "no module has debug information, compile with -g or "
				  "install debug files");
}

static struct trm_error *show_coverage(const struct coverage *coverage,
				       const struct coverage_options *options)
{
	struct text text = {0};

	if (arguments.lcov)
		make_tracefile(coverage, &text);
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
	struct wish wish = read_wish(profile);

	coverage_init(&covered, profile, &(struct coverage_wish){&wish, is_wanted},
		      arguments.source);
	struct trm_error *error = show_coverage(&covered, options);

	coverage_deinit(&covered);
	forget_wish(&wish);
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
	.run = run_coverage,
};
