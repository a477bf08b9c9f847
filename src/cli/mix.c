/* `trammel mix`: see man/trammel-mix.1.md. */
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"

#include "derive/mix.h"

static struct {
	struct showing shown;
	char *by, *sort;
} arguments;

static const struct poptOption option_table[] = {
	{"by", 0, POPT_ARG_STRING, &arguments.by, 0,
	 "what a row is: class (the default), mnemonic, function, block, module or "
	 "program",
	 "WHAT"},
	{"sort", 0, POPT_ARG_STRING, &arguments.sort, 0,
	 "order of the rows: instructions (the default), loads, stores or name", "KEY"},
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
	int by, sort;
	const char *functions; /* NULL: all */
	struct mix_options options;
	struct report_filter filter;
};

static struct trm_error *read_options(struct choice *choice)
{
	static const char *const by[] = {"class",  "mnemonic", "function", "block",
					 "module", "program",  NULL};
	static const char *const sorts[] = {"instructions", "loads", "stores", "name",
					    NULL};
	const struct arguments_words *words = &arguments.shown.words;

	if (!words->count || words->count > 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"a profile is needed, and perhaps a function: "
					"trammel mix FILE [FUNCTION]");
	choice->functions = words->count > 1 ? words->items[1] : NULL;
	choice->options.width = showing_width();
	TRM_TRY(arguments_choose("by", arguments.by, by, &choice->by));
	TRM_TRY(arguments_choose("sort", arguments.sort, sorts, &choice->sort));
	TRM_TRY(showing_colour(&arguments.shown, &choice->options.colour));
	TRM_TRY(showing_limit(&arguments.shown, &choice->options.limit));
	return showing_filter(&arguments.shown, &choice->filter);
}

static struct trm_error *show(const struct report_profile *profile,
			      const struct choice *choice)
{
	struct text text = {0};
	struct mix mix;

	TRM_TRY(walk_check(choice->functions, profile));
	mix_init(&mix, profile, choice->functions, (enum mix_by)choice->by,
		 (enum mix_sort)choice->sort);
	if (arguments.shown.json)
		mix_json(&mix, &text);
	else
		mix_text(&mix, &choice->options, &text);
	mix_deinit(&mix);
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

int cmd_mix(int argc, const char **argv)
{
	static const struct showing_command command = {
		"mix",
		"Usage: trammel mix [OPTION]... FILE [FUNCTION]\n"
		"Shows which instructions were executed, and their loads and stores.\n",
		option_table,
		&arguments.shown,
		run,
	};

	return showing_command(&command, argc, argv);
}
