/* `trammel paths`: see man/trammel-paths.1.md. */
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"

#include "derive/hot_paths_describe.h"
#include "derive/hot_paths_json.h"
#include "derive/hot_paths_show.h"

#include <inttypes.h>

static struct {
	struct showing shown;
	int describe, disassemble;
	char *syntax, *path;
	int chosen_syntax; /* enum disassemble_syntax */
} arguments;

static const struct poptOption option_table[] = {
	{"disassemble", 'd', POPT_ARG_NONE, &arguments.disassemble, 0,
	 "the instructions of each path, too", NULL},
	{"syntax", 0, POPT_ARG_STRING, &arguments.syntax, 0,
	 "how instructions are written: att (the default) or intel", "NAME"},
	{"path", 0, POPT_ARG_STRING, &arguments.path, 0,
	 "the path with this number, taken or not", "N"},
	{"describe", 0, POPT_ARG_NONE, &arguments.describe, 0,
	 "all edges and paths, a line each, for other programs", NULL},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_SORT(arguments.shown),
	SHOWING_TABLES(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *choose_path(struct hot_paths *paths, const struct choice *choice)
{
	uint64_t number;

	if (!arguments.path)
		return NULL;
	TRM_TRY(arguments_number("path", arguments.path, 0, &number));
	if (hot_paths_choose(paths, choice->functions, number))
		return NULL;
	return trm_error_create(TRM_ERROR_USAGE,
				"'%s' has no path %" PRIu64
				": trammel paths --describe shows how many there are",
				choice->functions ? choice->functions : "*", number);
}

static struct trm_error *add_paths(const struct report_profile *profile,
				   const struct choice *choice, struct text *out)
{
	const struct hot_paths_options options = {
		.table = choice->options,
		.disassemble = arguments.disassemble || arguments.path,
		.syntax = (enum disassemble_syntax)arguments.chosen_syntax,
	};
	struct hot_paths paths;
	struct trm_error *error;

	hot_paths_init(&paths, profile, choice->functions);
	error = choose_path(&paths, choice);
	if (error)
		;
	else if (arguments.describe)
		hot_paths_describe(&paths, out);
	else if (arguments.shown.json)
		hot_paths_json(&paths, &options, out);
	else
		hot_paths_text(&paths, &options, out);
	hot_paths_deinit(&paths);
	return error;
}

static struct trm_error *need_paths(const struct report_profile *profile,
				    const char *path)
{
	if (profile->paths.count)
		return NULL;
	return trm_error_create(TRM_ERROR_USAGE,
				"'%s' has no paths: trammel run -m paths counts them",
				path);
}

static struct trm_error *run_paths(int *ret_status)
{
	static const char *const syntaxes[] = {"att", "intel", NULL};
	scoped_profile struct report_profile *profile = NULL;
	struct choice choice;
	struct text text = {0};

	(void)ret_status;
	TRM_TRY(choose_functions(&arguments.shown, "paths", &choice));
	TRM_TRY(arguments_choose("syntax", arguments.syntax, syntaxes,
				 &arguments.chosen_syntax));
	const char *path = arguments.shown.words.items[0];

	TRM_TRY(showing_load(path, &choice.filter, &profile));
	TRM_TRY(need_paths(profile, path));
	TRM_TRY(walk_check(choice.functions, profile));
	TRM_TRY(add_paths(profile, &choice, &text));
	return showing_print(&arguments.shown, &text, true);
}

const struct command cmd_paths = {
	.name = "paths",
	.summary = "show which paths through functions were taken most",
	.usage = "Usage: trammel paths [OPTION]... FILE [FUNCTION]\n"
		 "Shows which paths through functions were taken most.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 2,
	.run = run_paths,
};
