/* `trammel loops`: see man/trammel-loops.1.md. */
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"

#include "derive/loops.h"

static struct {
	struct showing shown;
	int chosen_sort; /* enum loops_sort */
} arguments;

static const struct poptOption option_table[] = {
	{"sort", 0, POPT_ARG_STRING, &arguments.shown.sort, 0,
	 "order of the rows: instructions (the default), iterations, trips or name, or a "
	 "column's title",
	 "KEY"},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_TABLES(arguments.shown),
	POPT_TABLEEND};

static void add_loops(const struct report_profile *profile, const struct choice *choice,
		      struct text *out)
{
	struct loop_list list;

	loop_list_init(&list, profile, choice->functions,
		       (enum loops_sort)arguments.chosen_sort);
	if (arguments.shown.json)
		loop_list_json(&list, out);
	else
		loop_list_text(&list, &choice->options, out);
	loop_list_deinit(&list);
}

static struct trm_error *run_loops(int *ret_status)
{
	static const char *const sorts[] = {"instructions", "iterations", "trips", "name",
					    NULL};
	struct choice choice;

	(void)ret_status;
	TRM_TRY(showing_sort(&arguments.shown, sorts, &arguments.chosen_sort));
	TRM_TRY(choose_functions(&arguments.shown, "loops", &choice));
	return choose_and_print(&arguments.shown, &choice, add_loops);
}

const struct command cmd_loops = {
	.name = "loops",
	.summary = "show how often loops were entered, and how often they ran",
	.usage = "Usage: trammel loops [OPTION]... FILE [FUNCTION]\n"
		 "Shows how often loops were entered, and how often they ran.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 2,
	.run = run_loops,
};
