/* `trammel advise`: see man/trammel-advise.1.md. */
#include "advise/advice.h"
#include "advise/show.h"
#include "base/cleanup.h"
#include "base/library.h"
#include "cli/commands.h"
#include "cli/showing.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const double least_usual = 0.5; /* percent */

static struct {
	struct showing shown;
	int list, system;
	char *rule, *own, *least, *fail_on;
} arguments;

static const struct poptOption option_table[] = {
	{"list", 0, POPT_ARG_NONE, &arguments.list, 0,
	 "the rules, and what each needs; no profile is read", NULL},
	{"rule", 0, POPT_ARG_STRING, &arguments.rule, 0, "only these rules", "NAME,..."},
	{"rules", 0, POPT_ARG_STRING, &arguments.own, 0,
	 "rules of one's own, too: a file of queries, or a Python program", "FILE"},
	{"least", 0, POPT_ARG_STRING, &arguments.least, 0,
	 "findings with a smaller share are left out; the default is 0.5", "PERCENT"},
	{"system", 0, POPT_ARG_NONE, &arguments.system, 0,
	 "what is in libraries of the system, too", NULL},
	{"fail-on", 0, POPT_ARG_STRING, &arguments.fail_on, 0,
	 "exit with 1 if there is a finding with this confidence: low, medium or high",
	 "WORD"},
	SHOWING_PROCESS(arguments.shown),
	SHOWING_SORT(arguments.shown),
	SHOWING_TABLES(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *read_least(double *ret_least)
{
	char *end = arguments.least;

	*ret_least = least_usual;
	if (!arguments.least)
		return NULL;
	*ret_least = strtod(arguments.least, &end);
	if (end == arguments.least || *end || !isfinite(*ret_least) || *ret_least < 0)
		return trm_error_create(TRM_ERROR_USAGE,
					"--least '%s' is not a number from 0 up",
					arguments.least);
	return NULL;
}

static struct trm_error *copy_file(const char *path, int to)
{
	scoped_fd int from = open(path, O_RDONLY | O_CLOEXEC);
	char buffer[1 << 16];
	ssize_t got = -1;

	while (from >= 0 && (got = read(from, buffer, sizeof(buffer))) > 0)
		for (ssize_t done = 0, now; done < got; done += now) {
			now = write(to, buffer + done, (size_t)(got - done));
			if (now < 0)
				return trm_error_create(TRM_ERROR_SYSTEM,
							"copying '%s': %s", path,
							strerror(errno));
		}
	if (got < 0)
		return trm_error_create(TRM_ERROR_SYSTEM, "'%s': %s", path,
					strerror(errno));
	return NULL;
}

/* One file of several profiles, which is as good as they are; `fd` has it. */
static struct trm_error *join_profiles(int *ret_fd, char *ret_path, size_t size)
{
	scoped_fd int fd = memfd_create("profiles", MFD_CLOEXEC);

	if (fd < 0)
		return trm_error_create(TRM_ERROR_SYSTEM, "memfd_create: %s",
					strerror(errno));
	vector_for_each (&arguments.shown.words, word)
		TRM_TRY(copy_file(*word, fd));
	snprintf(ret_path, size, "/proc/self/fd/%d", fd);
	*ret_fd = take_fd(&fd);
	return NULL;
}

static bool is_failing(const struct advice *advice, int least)
{
	vector_for_each (&advice->findings, finding)
		if ((int)finding->confidence >= least)
			return true;
	return false;
}

static struct trm_error *show_advice(const struct advice *advice,
				     const struct advice_style *style, bool list)
{
	struct text text = {0};

	if (list && arguments.shown.json)
		advice_list_json(&text);
	else if (list)
		advice_list_text(style, &text);
	else if (arguments.shown.json)
		advice_json(advice, &text);
	else if (arguments.shown.csv || arguments.shown.columns || arguments.shown.sort)
		advice_table(advice, style, &text);
	else
		advice_text(advice, style, &text);
	return showing_print(&arguments.shown, &text, true);
}

/* The folder with Python modules; NULL: where Python finds them itself. */
static char *find_modules(void)
{
	char *path = library_find("pyreader", "caliperreader.py");
	char *slash = path ? strrchr(path, '/') : NULL;

	if (slash)
		*slash = '\0';
	return path;
}

static struct trm_error *advise_on(const char *whole, const struct advice_style *style,
				   int *ret_status)
{
	scoped_profile struct report_profile *profile = NULL;
	scoped_free char *modules = find_modules();
	struct advice_options options = {.only = arguments.rule,
					 .system = arguments.system,
					 .own = arguments.own,
					 .modules = modules};
	struct report_filter filter;
	struct advice advice;
	struct trm_error *error;
	int fail_on = 0;

	TRM_TRY(read_least(&options.least));
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY(arguments_choose("fail-on", arguments.fail_on, advice_confidences,
				 &fail_on));
	TRM_TRY(showing_load(whole, &filter, &profile));
	error = advice_make(&advice, &options, profile, whole,
			    (const char *const *)arguments.shown.words.items,
			    arguments.shown.words.count);
	text_print_warnings(&advice.warnings, "trammel");
	if (!error)
		error = show_advice(&advice, style, false);
	if (!error && arguments.fail_on && is_failing(&advice, fail_on))
		*ret_status = EXIT_FINDING;
	advice_deinit(&advice);
	return error;
}

static struct trm_error *run_advise(int *ret_status)
{
	struct advice_style style = {.width = showing_width()};
	scoped_fd int fd = -1;
	char joined[64];

	TRM_TRY(showing_colour(&arguments.shown, &style.colour));
	TRM_TRY(showing_limit(&arguments.shown, &style.limit));
	if (arguments.list)
		return show_advice(NULL, &style, true);
	if (!arguments.shown.words.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"no profile: trammel advise app.trm");
	if (arguments.shown.words.count == 1)
		return advise_on(arguments.shown.words.items[0], &style, ret_status);
	TRM_TRY(join_profiles(&fd, joined, sizeof(joined)));
	return advise_on(joined, &style, ret_status);
}

const struct command cmd_advise = {
	.name = "advise",
	.summary = "say what is worth a change, and what to try",
	.usage = "Usage: trammel advise [OPTION]... PROFILE...\n"
		 "Says what is worth a change in what was measured, and what to try.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 1,
	.run = run_advise,
};
