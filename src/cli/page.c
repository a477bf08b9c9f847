/* `trammel page`: see man/trammel-page.1.md. */
#include "cli/page.h"
#include "cli/commands.h"
#include "cli/exports/covering.h"
#include "cli/showing.h"
#include "page/page.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { CODE_USUAL = 200, SOURCES_BYTES = 16 << 20 };

static struct {
	struct showing shown;
	int open;
	char *output;
} arguments;

static const struct poptOption option_table[] = {
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "write it here (default: the first profile's name with .html)", "FILE"},
	{"open", 0, POPT_ARG_NONE, &arguments.open, 0, "show it in the browser", NULL},
	SHOWING_OPTION("limit", 'n', POPT_ARG_STRING, arguments.shown.limit,
		       "the code of the N heaviest functions of each profile; the "
		       "default is 200",
		       "N"),
	SHOWING_OPTION("json", 0, POPT_ARG_NONE, arguments.shown.json,
		       "write the page's data alone, as JSON", NULL),
	SHOWING_PROCESS(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

/* The name of the page of a profile: its own, with another ending. */
static char *usual_output(const char *profile)
{
	const size_t length = strlen(profile);
	const bool ends = length > 4 && !strcmp(profile + length - 4, ".trm");
	struct text path = {0};

	text_format(&path, "%.*s.%s", (int)(ends ? length - 4 : length), profile,
		    arguments.shown.json ? "json" : "html");
	return path.data;
}

static struct trm_error *open_page(const char *path)
{
	const char *const words[] = {"xdg-open", path, NULL};
	pid_t pid;
	int status = 0;
	const int failed = posix_spawnp(&pid, words[0], NULL, NULL,
					(char *const *)(uintptr_t)words, environ);

	if (!failed)
		waitpid(pid, &status, 0);
	if (failed || status)
		return trm_error_create(
			TRM_ERROR_SYSTEM,
			"xdg-open does not open '%s': open it in a browser", path);
	return NULL;
}

struct trm_error *page_write_one(const char *path, const struct report_profile *profile,
				 const char *output)
{
	const struct page_options options = {
		.cover = covering_init, .code = CODE_USUAL, .sources = SOURCES_BYTES};
	const struct page_profile one = {path, profile};
	const bool to_file = strcmp(output, "-") != 0;
	struct text text = {0};
	struct trm_error *error = page_html(&one, 1, &options, &text);

	if (!error)
		error = showing_write(to_file ? output : NULL, &text);
	if (!error && to_file)
		fprintf(stderr, "trammel: wrote %s (%zu KB); open it in a browser\n",
			output, (text.length + 1023) / 1024);
	text_deinit(&text);
	return error;
}

static struct trm_error *write_page(const struct page_profile *profiles, size_t count)
{
	struct page_options options = {
		.cover = covering_init, .code = CODE_USUAL, .sources = SOURCES_BYTES};
	scoped_free char *usual = usual_output(profiles[0].path);
	const char *output = arguments.output ? arguments.output : usual;
	const bool to_file = strcmp(output, "-") != 0;
	struct text text = {0};
	uint64_t limit;
	struct trm_error *error;

	TRM_TRY(arguments_number("limit", arguments.shown.limit, 0, &limit));
	if (arguments.shown.limit)
		options.code = limit;
	if (arguments.shown.json)
		TRM_TRY(page_data(profiles, count, &options, &text));
	else
		TRM_TRY(page_html(profiles, count, &options, &text));
	error = showing_write(to_file ? output : NULL, &text);
	if (!error && to_file)
		fprintf(stderr, "trammel: wrote %s (%zu KB)%s\n", output,
			(text.length + 1023) / 1024,
			arguments.open || arguments.shown.json
				? ""
				: "; open it in a browser");
	text_deinit(&text);
	if (!error && arguments.open && to_file)
		error = open_page(output);
	return error;
}

static struct trm_error *run_page(int *ret_status)
{
	const size_t count = arguments.shown.words.count;
	struct page_profile *profiles;
	struct report_profile *profile;
	struct report_filter filter;
	struct trm_error *error = NULL;
	size_t loaded = 0;

	(void)ret_status;
	if (!count)
		return trm_error_create(TRM_ERROR_USAGE,
					"no profile: trammel page -o app.html app.trm");
	if (!arguments.shown.json)
		TRM_TRY(page_check());
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	profiles = memory_allocate_zeroed(count, sizeof(*profiles));
	for (; loaded < count && !error; loaded += !error) {
		profiles[loaded].path = arguments.shown.words.items[loaded];
		error = showing_load(profiles[loaded].path, &filter, &profile);
		profiles[loaded].profile = error ? NULL : profile;
	}
	if (!error)
		error = write_page(profiles, count);
	while (loaded--)
		report_profile_destroy(
			(struct report_profile *)(uintptr_t)profiles[loaded].profile);
	free(profiles);
	return error;
}

const struct command cmd_page = {
	.name = "page",
	.summary = "make a page to look at, for a browser",
	.usage = "Usage: trammel page [OPTION]... FILE...\n"
		 "Makes one HTML file of profiles: flame graphs, tables, code with "
		 "counts.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 1,
	.run = run_page,
};
