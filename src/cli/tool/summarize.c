/* `trammel summarize`: see man/trammel-summarize.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"

#include "tool/labels_read.h"
#include "tool/summary.h"

static struct {
	struct showing shown;
	int dot;
	char *only;
} arguments;

static const struct poptOption option_table[] = {
	{"only", 0, POPT_ARG_STRING, &arguments.only, 0,
	 "only functions whose names match the shell pattern", "GLOB"},
	{"dot", 0, POPT_ARG_NONE, &arguments.dot, 0, "a graph for Graphviz", NULL},
	SHOWING_JSON(arguments.shown),
	SHOWING_PAGER(arguments.shown),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *run_summarize(int *ret_status)
{
	const struct arguments_words *given = &arguments.shown.words;
	enum summary_format format = arguments.shown.json ? SUMMARY_JSON
				     : arguments.dot      ? SUMMARY_DOT
							  : SUMMARY_TEXT;
	struct text text = {0};
	struct trm_error *error;
	struct labels labels;

	(void)ret_status;
	if (given->count != 1 || (arguments.shown.json && arguments.dot))
		return trm_error_create(TRM_ERROR_USAGE,
					"%s: trammel summarize [--json | --dot] LABELS",
					given->count == 1 ? "one format at a time"
							  : "one file of labels");
	TRM_TRY(labels_read(given->items[0], &labels));
	error = summary_write(&labels, arguments.only, format, &text);
	labels_deinit(&labels);
	if (!error)
		return showing_print(&arguments.shown, &text, !arguments.dot);
	text_deinit(&text);
	return error;
}

const struct command cmd_summarize = {
	.name = "summarize",
	.summary = "show the control flow of labelled programs, with ids",
	.usage = "Usage: trammel summarize [OPTION]... LABELS\n"
		 "Shows the control flow of labelled programs, with the ids of their "
		 "points.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_summarize,
};
