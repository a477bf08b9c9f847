/* `trammel diff`: see man/trammel-diff.1.md. */
#include "cli/arguments.h"
#include "cli/commands.h"

#include "report/diff/diff.h"
#include "report/text/report.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT_USUAL = 30 };

static struct {
	int json, all, no_pager, help;
	char *by, *sort, *module, *threshold, *limit, *colour;
	struct arguments_words files;
} arguments;

static const struct poptOption option_table[] = {
	{"by", 0, POPT_ARG_STRING, &arguments.by, 0,
	 "what a row is: function (the default), module, program or block", "WHAT"},
	{"sort", 0, POPT_ARG_STRING, &arguments.sort, 0,
	 "order of the rows: difference (the default), ratio, name, module or "
	 "instructions",
	 "KEY"},
	{"module", 0, POPT_ARG_STRING, &arguments.module, 0,
	 "only modules whose name or path matches the shell pattern", "GLOB"},
	{"threshold", 't', POPT_ARG_STRING, &arguments.threshold, 0,
	 "what differs by at most PERCENT of A is equal; the default is 0", "PERCENT"},
	{"limit", 'n', POPT_ARG_STRING, &arguments.limit, 0,
	 "at most N rows; the default is 30", "N"},
	{"all", 'a', POPT_ARG_NONE, &arguments.all, 0, "all rows", NULL},
	{"json", 0, POPT_ARG_NONE, &arguments.json, 0, "one JSON object, with all rows",
	 NULL},
	{"color", 0, POPT_ARG_STRING, &arguments.colour, 0,
	 "colours: auto (the default: on a terminal), always or never", "WHEN"},
	{"no-pager", 0, POPT_ARG_NONE, &arguments.no_pager, 0,
	 "do not page reports longer than the screen", NULL},
	{"help", 'h', POPT_ARG_NONE, &arguments.help, 0, "show this help", NULL},
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
					"--threshold '%s' is no number from 0 up", given);
	return NULL;
}

static struct trm_error *read_options(struct diff_options *options)
{
	static const char *const by[] = {"function", "module", "program", "block", NULL};
	static const char *const sorts[] = {"difference", "ratio",        "name",
					    "module",     "instructions", NULL};
	static const char *const colours[] = {"auto", "always", "never", NULL};
	int chosen_by, chosen_sort, chosen_colour;
	uint64_t limit;

	TRM_TRY(arguments_choose("by", arguments.by, by, &chosen_by));
	TRM_TRY(arguments_choose("sort", arguments.sort, sorts, &chosen_sort));
	TRM_TRY(arguments_choose("color", arguments.colour, colours, &chosen_colour));
	TRM_TRY(arguments_number("limit", arguments.limit, 1, &limit));
	TRM_TRY(read_threshold(&options->threshold));
	options->by = (enum diff_by)chosen_by;
	options->sort = (enum diff_sort)chosen_sort;
	options->limit = arguments.all ? SIZE_MAX : limit ? limit : LIMIT_USUAL;
	options->module = arguments.module;
	options->colour = report_colour_on(stdout, (enum report_colour)chosen_colour);
	for (int side = DIFF_A; side < DIFF_SIDES; side++)
		options->files[side] = arguments.files.items[side];
	return NULL;
}

static struct trm_error *show(const struct diff *diff, struct diff_options *options)
{
	struct text text = {0};
	size_t lines;

	report_terminal_size(stdout, &options->width, &lines);
	if (arguments.json)
		report_diff_json(diff, options, &text);
	else
		report_diff_text(diff, options, &text);
	struct trm_error *error =
		arguments_show(&text, arguments.json || arguments.no_pager ? 0 : lines);

	text_deinit(&text);
	return error;
}

static struct trm_error *load(const char *path, struct report_profile **ret_profile)
{
	TRM_TRY(report_profile_load(path, ret_profile));
	if ((*ret_profile)->warning)
		fprintf(stderr, "trammel: warning: %s\n", (*ret_profile)->warning);
	return report_profile_select(*ret_profile, &(struct report_filter){0});
}

static struct trm_error *compare(struct report_profile *const *sides,
				 struct diff_options *options, int *ret_status)
{
	struct diff diff;

	TRM_TRY(report_diff(sides[DIFF_A], sides[DIFF_B], options, &diff));
	*ret_status = diff.rows.count ? EXIT_FINDING : EXIT_DONE;
	struct trm_error *error = show(&diff, options);

	report_diff_deinit(&diff);
	return error;
}

static struct trm_error *diff(int argc, const char **argv, int *ret_status)
{
	struct report_profile *sides[DIFF_SIDES] = {0};
	struct diff_options options = {0};
	struct trm_error *error = NULL;

	TRM_TRY(arguments_parse("diff", argc, argv, option_table, &arguments.files));
	if (arguments.help) {
		arguments_print_help("Usage: trammel diff [OPTION]... A B\n"
				     "Shows what is different between two profiles.\n"
				     "The exit status is 0 if nothing is, else 1.\n",
				     option_table);
		return NULL;
	}
	if (arguments.files.count != DIFF_SIDES)
		return trm_error_create(TRM_ERROR_USAGE,
					"two profiles are compared, not %zu: trammel "
					"diff A B",
					arguments.files.count);
	TRM_TRY(read_options(&options));
	for (int side = DIFF_A; side < DIFF_SIDES && !error; side++)
		error = load(options.files[side], &sides[side]);
	if (!error)
		error = compare(sides, &options, ret_status);
	report_profile_destroy(sides[DIFF_A]);
	report_profile_destroy(sides[DIFF_B]);
	return error;
}

int cmd_diff(int argc, const char **argv)
{
	int status = EXIT_DONE;
	struct trm_error *error = diff(argc, argv, &status);

	status = arguments_status(error, status);
	arguments_reset(option_table, &arguments.files);
	return status;
}
