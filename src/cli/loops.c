/* `trammel loops`: see man/trammel-loops.1.md. */
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"

#include "derive/loops.h"

static struct {
	struct showing shown;
	char *sort;
} arguments;

static const struct poptOption option_table[] = {
	{"sort", 0, POPT_ARG_STRING, &arguments.sort, 0,
	 "order of the rows: instructions (the default), iterations, trips or name",
	 "KEY"},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_LIMIT(arguments.shown),
	SHOWING_ALL(arguments.shown),
	SHOWING_JSON(arguments.shown),
	SHOWING_COLOUR(arguments.shown),
	SHOWING_PAGER(arguments.shown),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

struct choice {
	int sort;
	const char *functions; /* NULL: all */
	struct loops_options options;
	struct report_filter filter;
};

static struct trm_error *read_options(struct choice *choice)
{
	static const char *const sorts[] = {"instructions", "iterations", "trips", "name",
					    NULL};
	const struct arguments_words *words = &arguments.shown.words;

	if (!words->count || words->count > 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"a profile is needed, and perhaps a function: "
					"trammel loops FILE [FUNCTION]");
	choice->functions = words->count > 1 ? words->items[1] : NULL;
	choice->options.width = showing_width();
	TRM_TRY(arguments_choose("sort", arguments.sort, sorts, &choice->sort));
	TRM_TRY(showing_colour(&arguments.shown, &choice->options.colour));
	TRM_TRY(showing_limit(&arguments.shown, &choice->options.limit));
	return showing_filter(&arguments.shown, &choice->filter);
}

static struct trm_error *show(const struct report_profile *profile,
			      const struct choice *choice)
{
	struct text text = {0};
	struct loop_list list;

	TRM_TRY(walk_check(choice->functions, profile));
	loop_list_init(&list, profile, choice->functions, (enum loops_sort)choice->sort);
	if (arguments.shown.json)
		loop_list_json(&list, &text);
	else
		loop_list_text(&list, &choice->options, &text);
	loop_list_deinit(&list);
	return showing_print(&arguments.shown, &text, true);
}

static struct trm_error *run(int *ret_status)
{
	struct report_profile *profile;
	struct choice choice = {0};

	(void)ret_status;
	TRM_TRY(read_options(&choice));
	TRM_TRY(choose_profile(arguments.shown.words.items[0], &choice.filter, &profile));
	struct trm_error *error = show(profile, &choice);

	report_profile_destroy(profile);
	return error;
}

int cmd_loops(int argc, const char **argv)
{
	static const struct showing_command command = {
		"loops",
		"Usage: trammel loops [OPTION]... FILE [FUNCTION]\n"
		"Shows how often loops were entered, and how often they ran.\n",
		option_table,
		&arguments.shown,
		run,
	};

	return showing_command(&command, argc, argv);
}
