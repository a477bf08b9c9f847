/* `trammel graph`: see man/trammel-graph.1.md. */
#include "annotate/dot.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"

#include "annotate/graph.h"
#include "report/callgraph.h"

#include <stdio.h>

static struct {
	struct showing shown;
	int dot, calls;
} arguments;

static const struct poptOption option_table[] = {
	{"dot", 0, POPT_ARG_NONE, &arguments.dot, 0,
	 "in the language of Graphviz (the default)", NULL},
	{"calls", 0, POPT_ARG_NONE, &arguments.calls, 0,
	 "which function calls which, not the control flow of one", NULL},
	SHOWING_OPTION("limit", 'n', POPT_ARG_STRING, arguments.shown.limit,
		       "with --calls, at most the N heaviest edges", "N"),
	SHOWING_JSON(arguments.shown),
	SHOWING_MODULE(arguments.shown),
	SHOWING_PROCESS(arguments.shown),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *check_arguments(void)
{
	const size_t words = arguments.shown.words.count;

	if (arguments.shown.limit && !arguments.calls)
		return trm_error_create(TRM_ERROR_USAGE,
					"--limit is for --calls: the graph of a function "
					"is whole");
	if (arguments.calls && words != 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"--calls shows all functions of one profile: "
					"trammel graph --calls FILE");
	if (words == 1 && !arguments.calls)
		return trm_error_create(TRM_ERROR_USAGE,
					"no function: trammel graph FILE FUNCTION, or "
					"trammel graph --calls FILE");
	if (words != 2 && !arguments.calls)
		return trm_error_create(TRM_ERROR_USAGE,
					"a profile and a function are needed: trammel "
					"graph FILE FUNCTION");
	if (arguments.dot && arguments.shown.json)
		return trm_error_create(TRM_ERROR_USAGE,
					"--dot and --json are two outputs: choose one");
	return NULL;
}

static struct trm_error *print_graph(struct annotation *annotation)
{
	struct text text = {0};
	struct graph graph;
	struct trm_error *error = graph_init(&graph, annotation);

	if (!error)
		(arguments.shown.json ? graph_json : graph_dot)(&graph, &text);
	graph_deinit(&graph);
	if (error)
		return error;
	return showing_print(&arguments.shown, &text, false);
}

static struct trm_error *graph_calls(const struct report_profile *profile, uint64_t limit)
{
	struct text text = {0};

	(arguments.shown.json ? callgraph_json
			      : callgraph_dot)(profile, limit ? limit : SIZE_MAX, &text);
	return showing_print(&arguments.shown, &text, false);
}

static struct trm_error *show_graph(const struct report_profile *profile)
{
	struct annotation_file file;
	struct annotation annotation;

	TRM_TRY(choose_function(profile, arguments.shown.words.items[1], &file,
				&annotation));
	struct trm_error *error = print_graph(&annotation);

	annotation_deinit(&annotation);
	annotation_close(&file);
	return error;
}

static struct trm_error *run_graph(int *ret_status)
{
	scoped_profile struct report_profile *profile = NULL;
	struct report_filter filter;
	uint64_t limit = 0;

	(void)ret_status;
	TRM_TRY(check_arguments());
	TRM_TRY(arguments_number("limit", arguments.shown.limit, 1, &limit));
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY((arguments.calls ? choose_calls : choose_profile)(
		arguments.shown.words.items[0], &filter, &profile));
	return arguments.calls ? graph_calls(profile, limit) : show_graph(profile);
}

const struct command cmd_graph = {
	.name = "graph",
	.summary = "show the control flow of a function, or all calls, with counts",
	.usage = "Usage: trammel graph [OPTION]... FILE FUNCTION\n"
		 "Shows the control flow of a function with counts.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 2,
	.run = run_graph,
};
