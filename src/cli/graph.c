/* `trammel graph`: see man/trammel-graph.1.md. */
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"

#include "annotate/routes.h"

#include <stdio.h>

static struct {
	struct showing shown;
	int dot;
} arguments;

static const struct poptOption option_table[] = {
	{"dot", 0, POPT_ARG_NONE, &arguments.dot, 0,
	 "in the language of Graphviz (the default)", NULL},
	SHOWING_JSON(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_PROCESS(arguments.shown),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *check_arguments(void)
{
	if (arguments.shown.words.count == 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"no function: trammel graph FILE FUNCTION; calls "
					"between functions are not measured");
	if (arguments.shown.words.count != 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"a profile and a function are needed: trammel "
					"graph FILE FUNCTION");
	if (arguments.dot && arguments.shown.json)
		return trm_error_create(TRM_ERROR_USAGE,
					"--dot and --json are two outputs: choose one");
	return NULL;
}

static struct trm_error *print(const struct annotation *annotation)
{
	struct text text = {0};
	struct routes routes;

	TRM_TRY(routes_init(&routes, annotation));
	if (arguments.shown.json)
		routes_json(&routes, annotation, &text);
	else
		routes_dot(&routes, annotation, &text);
	vector_deinit(&routes);
	return showing_print(&arguments.shown, &text, false);
}

static struct trm_error *graph(const struct report_profile *profile)
{
	struct annotation_file file;
	struct annotation annotation;

	TRM_TRY(choose_function(profile, arguments.shown.words.items[1], &file,
				&annotation));
	struct trm_error *error = print(&annotation);

	annotation_deinit(&annotation);
	annotation_close(&file);
	return error;
}

static struct trm_error *run(int *ret_status)
{
	struct report_profile *profile;
	struct report_filter filter;

	(void)ret_status;
	TRM_TRY(check_arguments());
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY(choose_profile(arguments.shown.words.items[0], &filter, &profile));
	struct trm_error *error = graph(profile);

	report_profile_destroy(profile);
	return error;
}

int cmd_graph(int argc, const char **argv)
{
	static const struct showing_command command = {
		"graph",
		"Usage: trammel graph [OPTION]... FILE FUNCTION\n"
		"Shows the control flow of a function with counts.\n",
		option_table,
		&arguments.shown,
		run,
	};

	return showing_command(&command, argc, argv);
}
