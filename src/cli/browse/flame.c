/* `trammel flame`: see man/trammel-flame.1.md. */
#include "report/flame/compare.h"
#include "report/flame/draw.h"
#include "annotate/sources.h"
#include "cli/commands.h"
#include "cli/showing.h"
#include "report/text/cells.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH_USUAL = 100, WIDTH_MIN = 20, WIDTH_MAX = 10000 };

static struct {
	struct showing shown;
	int upwards, list;
	char *by, *value, *depth, *width;
} arguments;

static const struct poptOption option_table[] = {
	{"by", 0, POPT_ARG_STRING, &arguments.by, 0,
	 "what is inside of what: calls, phase, source or module; usually the first that "
	 "there is",
	 "WHAT"},
	{"value", 0, POPT_ARG_STRING, &arguments.value, 0,
	 "what is added up: time, samples, calls, instructions, ...", "NAME"},
	{"up", 'u', POPT_ARG_NONE, &arguments.upwards, 0,
	 "the root at the bottom, as flames have it", NULL},
	{"list", 'l', POPT_ARG_NONE, &arguments.list, 0,
	 "lines instead of a picture; usual where it is no terminal", NULL},
	{"depth", 'd', POPT_ARG_STRING, &arguments.depth, 0, "at most N levels", "N"},
	{"width", 'w', POPT_ARG_STRING, &arguments.width, 0,
	 "a picture of N columns, wherever it is written", "N"},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_INTERVAL(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_ALL(arguments.shown),
	SHOWING_PRINT(arguments.shown),
	POPT_TABLEEND};

static bool is_dumb(void)
{
	const char *terminal = getenv("TERM");

	return terminal && !strcmp(terminal, "dumb");
}

static struct trm_error *read_options(struct flame_style *style)
{
	uint64_t width, depth;

	if (arguments.shown.words.count < 1 || arguments.shown.words.count > 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"one profile is needed, or two to compare: "
					"trammel flame FILE [BEFORE]");
	TRM_TRY(arguments_number("width", arguments.width, WIDTH_MIN, &width));
	TRM_TRY(arguments_number("depth", arguments.depth, 1, &depth));
	if (width > WIDTH_MAX)
		return trm_error_create(TRM_ERROR_USAGE,
					"--width '%s' is too wide: at most %d",
					arguments.width, WIDTH_MAX);
	*style = (struct flame_style){
		.width = arguments.width ? width : showing_width(),
		.depth = depth,
		.least = arguments.shown.all ? 0 : 0.005,
		.upwards = arguments.upwards,
	};
	TRM_TRY(showing_colour(&arguments.shown, &style->colour));
	style->colour &= arguments.shown.colour || !is_dumb();
	style->unicode = showing_width() && !is_dumb() && cells_are_unicode();
	/* Where there is no terminal, lines can be searched. */
	if (!style->width) {
		arguments.list |= !style->colour && !arguments.upwards;
		style->width = WIDTH_USUAL;
	}
	if (style->width < WIDTH_MIN)
		style->width = WIDTH_MIN;
	return NULL;
}

static struct trm_error *make_tree(const struct report_profile *profile, enum flame_by by,
				   const char *value, struct flame_tree *tree)
{
	struct function_sources sources;
	struct trm_error *error;

	if (by != FLAME_BY_SOURCE)
		return flame_tree_init(tree, profile, by, value, NULL);
	function_sources_init(&sources, profile);
	error = flame_tree_init(tree, profile, by, value, sources.files);
	function_sources_deinit(&sources);
	return error;
}

/* Compares a tree with that of the profile that was named second. */
static struct trm_error *compare_with(const struct report_profile *profile,
				      enum flame_by by,
				      const struct report_filter *filter,
				      struct flame_tree *tree)
{
	scoped_profile struct report_profile *other = NULL;
	struct flame_tree before;

	if (arguments.shown.words.count < 2)
		return NULL;
	TRM_TRY(showing_load(arguments.shown.words.items[1], filter, &other));
	TRM_TRY(make_tree(other, by, tree->value, &before));
	flame_tree_compare(tree, profile, &before, other);
	flame_tree_deinit(&before);
	return NULL;
}

static void add_tree(const struct flame_tree *tree, const struct report_profile *profile,
		     enum flame_by by, const struct flame_style *style, struct text *text)
{
	if (arguments.shown.json)
		flame_json(tree, profile, by, text);
	else if (arguments.list)
		flame_list(tree, profile, style, text);
	else
		flame_draw(tree, profile, style, text);
}

static struct trm_error *run_flame(int *ret_status)
{
	scoped_profile struct report_profile *profile = NULL;
	struct flame_style style;
	struct flame_tree tree;
	struct report_filter filter;
	struct text text = {0};
	struct trm_error *error;
	int by;

	(void)ret_status;
	TRM_TRY(read_options(&style));
	TRM_TRY(arguments_choose("by", arguments.by, flame_by_names, &by));
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY(showing_load(arguments.shown.words.items[0], &filter, &profile));
	by = arguments.by ? by : (int)flame_tree_usual(profile);
	TRM_TRY(make_tree(profile, (enum flame_by)by, arguments.value, &tree));
	error = compare_with(profile, (enum flame_by)by, &filter, &tree);
	if (!error)
		add_tree(&tree, profile, (enum flame_by)by, &style, &text);
	flame_tree_deinit(&tree);
	return error ? error : showing_print(&arguments.shown, &text, true);
}

const struct command cmd_flame = {
	.name = "flame",
	.summary = "draw a flame graph in the terminal",
	.usage =
		"Usage: trammel flame [OPTION]... FILE [BEFORE]\n"
		"Draws a flame graph in the terminal: a row a level, a frame's width its "
		"share;\nwith a second profile, its colour how much it changed.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 1,
	.run = run_flame,
};
