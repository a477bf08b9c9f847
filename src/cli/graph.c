/* `trammel graph`: see man/trammel-graph.1.md. */
#include "cli/arguments.h"
#include "cli/choose.h"
#include "cli/commands.h"

#include "annotate/routes.h"

#include <stdio.h>

static struct {
	int dot, json, help;
	char *module, *process;
	struct arguments_words files;
} arguments;

static const struct poptOption option_table[] = {
	{"dot", 0, POPT_ARG_NONE, &arguments.dot, 0,
	 "in the language of Graphviz (the default)", NULL},
	{"json", 0, POPT_ARG_NONE, &arguments.json, 0, "one JSON object", NULL},
	{"module", 0, POPT_ARG_STRING, &arguments.module, 0,
	 "only modules whose name or path matches the shell pattern", "GLOB"},
	{"process", 0, POPT_ARG_STRING, &arguments.process, 0,
	 "only what this process executed", "PID"},
	{"help", 'h', POPT_ARG_NONE, &arguments.help, 0, "show this help", NULL},
	POPT_TABLEEND};

static struct trm_error *read_options(struct report_filter *filter)
{
	if (arguments.files.count == 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"no function: trammel graph FILE FUNCTION; calls "
					"between functions are not measured");
	if (arguments.files.count != 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"a profile and a function are needed: trammel "
					"graph FILE FUNCTION");
	if (arguments.dot && arguments.json)
		return trm_error_create(TRM_ERROR_USAGE,
					"--dot and --json are two outputs: choose one");
	TRM_TRY(arguments_number("process", arguments.process, 0, &filter->process));
	filter->one_process = arguments.process != NULL;
	filter->module = arguments.module;
	return NULL;
}

static struct trm_error *print(const struct annotation *annotation)
{
	struct text text = {0};
	struct routes routes;

	TRM_TRY(routes_init(&routes, annotation));
	if (arguments.json)
		routes_json(&routes, annotation, &text);
	else
		routes_dot(&routes, annotation, &text);
	struct trm_error *error = arguments_show(&text, 0);

	text_deinit(&text);
	vector_deinit(&routes);
	return error;
}

static struct trm_error *graph(const struct report_profile *profile)
{
	struct annotation_file file;
	struct annotation annotation;

	TRM_TRY(choose_function(profile, arguments.files.items[1], &file, &annotation));
	struct trm_error *error = print(&annotation);

	annotation_deinit(&annotation);
	annotation_close(&file);
	return error;
}

static struct trm_error *run(int argc, const char **argv)
{
	struct report_filter filter = {0};
	struct report_profile *profile;

	TRM_TRY(arguments_parse("graph", argc, argv, option_table, &arguments.files));
	if (arguments.help) {
		arguments_print_help(
			"Usage: trammel graph [OPTION]... FILE FUNCTION\n"
			"Shows the control flow of a function with counts.\n",
			option_table);
		return NULL;
	}
	TRM_TRY(read_options(&filter));
	TRM_TRY(choose_profile(arguments.files.items[0], &filter, &profile));
	struct trm_error *error = graph(profile);

	report_profile_destroy(profile);
	return error;
}

int cmd_graph(int argc, const char **argv)
{
	int status = arguments_status(run(argc, argv), EXIT_DONE);

	arguments_reset(option_table, &arguments.files);
	return status;
}
