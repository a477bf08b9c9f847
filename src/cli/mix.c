/* `trammel mix`: see man/trammel-mix.1.md. */
#include "derive/mix_show.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"

#include "derive/mix.h"

static struct {
	struct showing shown;
	char *by;
	int chosen_by, chosen_sort; /* enum mix_by, enum mix_sort */
} arguments;

static const struct poptOption option_table[] = {
	{"by", 0, POPT_ARG_STRING, &arguments.by, 0,
	 "what a row is: class (the default), mnemonic, function, block, module or "
	 "program",
	 "WHAT"},
	{"sort", 0, POPT_ARG_STRING, &arguments.shown.sort, 0,
	 "order of the rows: instructions (the default), loads, stores or name, or a "
	 "column's title",
	 "KEY"},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_TABLES(arguments.shown),
	POPT_TABLEEND};

static void add_mix(const struct report_profile *profile, const struct choice *choice,
		    struct text *out)
{
	struct mix mix;

	mix_init(&mix, profile, choice->functions, (enum mix_by)arguments.chosen_by,
		 (enum mix_sort)arguments.chosen_sort);
	if (arguments.shown.json)
		mix_json(&mix, out);
	else
		mix_text(&mix, &choice->options, out);
	mix_deinit(&mix);
}

static struct trm_error *run_mix(int *ret_status)
{
	static const char *const by[] = {"class",  "mnemonic", "function", "block",
					 "module", "program",  NULL};
	static const char *const sorts[] = {"instructions", "loads", "stores", "name",
					    NULL};
	struct choice choice;

	(void)ret_status;
	TRM_TRY(showing_sort(&arguments.shown, sorts, &arguments.chosen_sort));
	TRM_TRY(choose_functions(&arguments.shown, "mix", &choice));
	TRM_TRY(arguments_choose("by", arguments.by, by, &arguments.chosen_by));
	return choose_and_print(&arguments.shown, &choice, add_mix);
}

const struct command cmd_mix = {
	.name = "mix",
	.summary = "show which instructions were executed, and their loads and stores",
	.usage = "Usage: trammel mix [OPTION]... FILE [FUNCTION]\n"
		 "Shows which instructions were executed, and their loads and stores.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 2,
	.run = run_mix,
};
