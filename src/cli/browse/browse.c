/* `trammel browse`: see man/trammel-browse.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"

#ifdef TRAMMEL_CURSES
#include "cli/browse/screen.h"
#include "report/text/cells.h"
#endif

#include <stdio.h>
#include <unistd.h>

static struct showing shown;

static const struct poptOption option_table[] = {
	SHOWING_PROCESS(shown), SHOWING_INTERVAL(shown), SHOWING_MODULE(shown),
	SHOWING_HELP(shown), POPT_TABLEEND};

#ifdef TRAMMEL_CURSES

static struct trm_error *browse_profile(const struct report_profile *profile,
					const struct report_profile *other)
{
	struct browser browser;
	struct trm_error *error;

	TRM_TRY(browser_init(&browser, profile, other, shown.words.items[0],
			     cells_are_unicode()));
	error = browse_screen_run(&browser);
	browser_deinit(&browser);
	return error;
}

#else

static struct trm_error *browse_profile(const struct report_profile *profile,
					const struct report_profile *other)
{
	(void)profile;
	(void)other;
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"this trammel was built without ncurses: with the "
				"package libncurses-dev installed, ./bootstrap build "
				"makes one that browses");
}

#endif

static struct trm_error *run_browse(int *ret_status)
{
	scoped_profile struct report_profile *profile = NULL, *other = NULL;
	struct report_filter filter;

	(void)ret_status;
	if (shown.words.count < 1 || shown.words.count > 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"one profile is needed, or two to compare: "
					"trammel browse FILE [BEFORE]");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return trm_error_create(TRM_ERROR_USAGE,
					"no terminal to browse on: trammel report and "
					"trammel flame print");
	TRM_TRY(showing_filter(&shown, &filter));
	TRM_TRY(showing_load(shown.words.items[0], &filter, &profile));
	if (shown.words.count > 1)
		TRM_TRY(showing_load(shown.words.items[1], &filter, &other));
	return browse_profile(profile, other);
}

const struct command cmd_browse = {
	.name = "browse",
	.summary = "look through a profile in the terminal",
	.usage = "Usage: trammel browse [OPTION]... FILE [BEFORE]\n"
		 "Shows a profile on the whole terminal: tables, trees, code with "
		 "counts;\nwith a second one, what changed.\n",
	.options = option_table,
	.given = &shown,
	.profile_words = 1,
	.run = run_browse,
};
