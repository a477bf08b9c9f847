/* `trammel values`: see man/trammel-values.1.md. */
#include "base/cleanup.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"
#include "report/json/values.h"
#include "report/text/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TOP_USUAL = 4 };

static struct {
	struct showing shown;
	char *kind, *top, *levels;
	int order; /* enum report_value_order */
} arguments;

static const struct poptOption option_table[] = {
	{"sort", 's', POPT_ARG_STRING, &arguments.shown.sort, 0,
	 "by seen (the default), address, invariance, zero or last, or a column's title",
	 "KEY"},
	{"kind", 'k', POPT_ARG_STRING, &arguments.kind, 0,
	 "only result, load, store, address, target, ticks or replay", "KIND,..."},
	{"top", 't', POPT_ARG_STRING, &arguments.top, 0,
	 "so many values of each row; the default is 4", "N"},
	{"levels", 0, POPT_ARG_STRING, &arguments.levels, 0,
	 "levels of memory by ticks: lines MIN MAX TYPICAL NAME", "FILE"},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_TABLES(arguments.shown),
	POPT_TABLEEND};

/* Lines as DCPI's load latency module has them: 0 10 3 L1. */
static struct trm_error *read_levels(const char *path, struct report_levels *levels)
{
	scoped_file FILE *file = fopen(path, "re");
	char line[256];

	if (!file)
		return trm_error_system(errno, "cannot read '%s'", path);
	for (unsigned int number = 1; fgets(line, sizeof(line), file); number++) {
		struct report_level *level;
		struct report_level read;

		if (line[strspn(line, " \t\n")] == '\0' || *line == '#')
			continue;
		if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %15s", &read.least,
			   &read.most, &read.typical, read.name) != 4)
			return trm_error_create(TRM_ERROR_USAGE,
						"'%s', line %u: write MIN MAX TYPICAL "
						"NAME, as 0 60 40 L1",
						path, number);
		level = vector_add(levels);
		*level = read;
	}
	return NULL;
}

static struct trm_error *no_values(const struct report_profile *profile)
{
	const char *path = arguments.shown.words.items[0];
	struct text why = {0};
	struct trm_error *error;

	if (!report_values_explain(profile, &why))
		text_add(&why, "trammel run -m values takes them");
	error = trm_error_create(TRM_ERROR_USAGE, "'%s' has no values: %s", path,
				 why.data);
	text_deinit(&why);
	return error;
}

static struct trm_error *show_values(const struct report_profile *profile,
				     const struct choice *choice,
				     const struct report_levels *levels, size_t top,
				     struct text *out)
{
	const struct report_values_choice chosen = {
		.function = choice->functions,
		.kinds = arguments.kind,
		.order = (enum report_value_order)arguments.order,
	};
	const struct report_values_style style = {
		.style = {choice->options.colour, choice->options.width},
		.limit = choice->options.limit,
		.top = top,
		.levels = levels,
	};
	struct trm_error *error = NULL;
	struct report_values values;

	report_values_init(&values, profile, &chosen);
	if (!values.any)
		error = no_values(profile);
	else if (choice->functions && !values.items.count)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "no value was taken in a function that matches "
					 "'%s'",
					 choice->functions);
	else if (arguments.shown.json)
		report_values_json(out, &values);
	else
		report_add_values(out, profile, &values, &style);
	report_values_deinit(&values);
	return error;
}

static struct trm_error *run_values(int *ret_status)
{
	static const char *const orders[] = {"seen", "address", "invariance",
					     "zero", "last",    NULL};
	scoped_profile struct report_profile *profile = NULL;
	struct report_levels levels = {0};
	struct choice choice;
	uint64_t top = TOP_USUAL;
	struct text text = {0};

	(void)ret_status;
	TRM_TRY(showing_sort(&arguments.shown, orders, &arguments.order));
	TRM_TRY(choose_functions(&arguments.shown, "values", &choice));
	if (arguments.top)
		TRM_TRY(arguments_number("top", arguments.top, 1, &top));
	TRM_TRY(showing_load(arguments.shown.words.items[0], &choice.filter, &profile));
	struct trm_error *error =
		arguments.levels ? read_levels(arguments.levels, &levels) : NULL;

	if (!error)
		error = show_values(profile, &choice, &levels, (size_t)top, &text);
	vector_deinit(&levels);
	return error ? error : showing_print(&arguments.shown, &text, true);
}

const struct command cmd_values = {
	.name = "values",
	.summary = "show which values instructions read and left most",
	.usage = "Usage: trammel values [OPTION]... FILE [FUNCTION]\n"
		 "Shows which values instructions read and left most.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_values,
};
