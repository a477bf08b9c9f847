/* `trammel annotate`: see man/trammel-annotate.1.md. */
#include "annotate/show.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"

#include <stdio.h>

static struct {
	struct showing shown;
	int source;
	char *syntax;
} arguments;

static const struct poptOption option_table[] = {
	SHOWING_MODULE(arguments.shown),
	SHOWING_PROCESS(arguments.shown),
	{"source", 's', POPT_ARG_NONE, &arguments.source, 0,
	 "with the lines of the source", NULL},
	{"syntax", 0, POPT_ARG_STRING, &arguments.syntax, 0,
	 "how instructions are written: att (the default) or intel", "NAME"},
	SHOWING_PRINT(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *read_options(struct annotation_options *options)
{
	static const char *const syntaxes[] = {"att", "intel", NULL};
	int syntax;

	if (arguments.shown.words.count != 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"a profile and a function are needed: trammel "
					"annotate FILE FUNCTION");
	TRM_TRY(arguments_choose("syntax", arguments.syntax, syntaxes, &syntax));
	*options = (struct annotation_options){
		.syntax = (enum disassemble_syntax)syntax,
		.width = showing_width(),
	};
	return showing_colour(&arguments.shown, &options->colour);
}

static struct trm_error *print_annotation(struct annotation *annotation,
					  const struct annotation_options *options)
{
	struct text text = {0};

	if (arguments.shown.json)
		annotation_json(annotation, options, &text);
	else
		annotation_text(annotation, options, &text);
	return showing_print(&arguments.shown, &text, true);
}

/* Without debug information the listing is shown nevertheless. */
static struct trm_error *show_annotation(struct annotation *annotation,
					 struct annotation_options *options)
{
	struct image_rows rows;
	struct trm_error *error;

	if (!arguments.source)
		return print_annotation(annotation, options);
	error = image_rows_init(&rows, annotation->image);
	if (error) {
		fprintf(stderr, "trammel: warning: no source lines of '%s': %s\n",
			annotation->module->path, error->message);
		trm_error_destroy(error);
		return print_annotation(annotation, options);
	}
	options->rows = &rows;
	error = print_annotation(annotation, options);
	image_rows_deinit(&rows);
	return error;
}

static struct trm_error *annotate_function(const struct report_profile *profile,
					   struct annotation_options *options)
{
	struct annotation_file file;
	struct annotation annotation;

	TRM_TRY(choose_function(profile, arguments.shown.words.items[1], &file,
				&annotation));
	struct trm_error *error = show_annotation(&annotation, options);

	annotation_deinit(&annotation);
	annotation_close(&file);
	return error;
}

static struct trm_error *run_annotate(int *ret_status)
{
	struct annotation_options options;
	struct report_filter filter;
	scoped_profile struct report_profile *profile = NULL;

	(void)ret_status;
	TRM_TRY(read_options(&options));
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY(choose_instructions(arguments.shown.words.items[0], &filter, &profile));
	return annotate_function(profile, &options);
}

const struct command cmd_annotate = {
	.name = "annotate",
	.summary = "show the instructions of a function with counts",
	.usage = "Usage: trammel annotate [OPTION]... FILE FUNCTION\n"
		 "Shows the instructions of a function with counts.\n",
	.options = option_table,
	.given = &arguments.shown,
	.profile_words = 2,
	.run = run_annotate,
};
