/* `trammel annotate`: see man/trammel-annotate.1.md. */
#include "cli/arguments.h"
#include "cli/choose.h"
#include "cli/commands.h"

#include "report/text/report.h"

#include <stdio.h>

static struct {
	int source, json, no_pager, help;
	char *module, *process, *syntax, *colour;
	struct arguments_words files;
} arguments;

static const struct poptOption option_table[] = {
	{"module", 0, POPT_ARG_STRING, &arguments.module, 0,
	 "only modules whose name or path matches the shell pattern", "GLOB"},
	{"process", 0, POPT_ARG_STRING, &arguments.process, 0,
	 "only what this process executed", "PID"},
	{"source", 's', POPT_ARG_NONE, &arguments.source, 0,
	 "with the lines of the source", NULL},
	{"syntax", 0, POPT_ARG_STRING, &arguments.syntax, 0,
	 "how instructions are written: att (the default) or intel", "NAME"},
	{"json", 0, POPT_ARG_NONE, &arguments.json, 0, "one JSON object", NULL},
	{"color", 0, POPT_ARG_STRING, &arguments.colour, 0,
	 "colours: auto (the default: on a terminal), always or never", "WHEN"},
	{"no-pager", 0, POPT_ARG_NONE, &arguments.no_pager, 0,
	 "do not page listings longer than the screen", NULL},
	{"help", 'h', POPT_ARG_NONE, &arguments.help, 0, "show this help", NULL},
	POPT_TABLEEND};

static struct trm_error *read_options(struct annotation_options *options,
				      struct report_filter *filter)
{
	static const char *const syntaxes[] = {"att", "intel", NULL};
	static const char *const colours[] = {"auto", "always", "never", NULL};
	int syntax, colour;

	if (arguments.files.count != 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"a profile and a function are needed: trammel "
					"annotate FILE FUNCTION");
	TRM_TRY(arguments_choose("syntax", arguments.syntax, syntaxes, &syntax));
	TRM_TRY(arguments_choose("color", arguments.colour, colours, &colour));
	TRM_TRY(arguments_number("process", arguments.process, 0, &filter->process));
	filter->one_process = arguments.process != NULL;
	filter->module = arguments.module;
	*options = (struct annotation_options){
		.syntax = (enum disassemble_syntax)syntax,
		.colour = report_colour_on(stdout, (enum report_colour)colour),
	};
	return NULL;
}

static struct trm_error *print(const struct annotation *annotation,
			       struct annotation_options *options)
{
	bool page = !arguments.no_pager && !arguments.json;
	struct text text = {0};
	size_t lines;

	report_terminal_size(stdout, &options->width, &lines);
	if (arguments.json)
		annotation_json(annotation, options, &text);
	else
		annotation_text(annotation, options, &text);
	struct trm_error *error = arguments_show(&text, page ? lines : 0);

	text_deinit(&text);
	return error;
}

/* Without debug information the listing is shown nevertheless. */
static struct trm_error *show(const struct annotation *annotation,
			      struct annotation_options *options)
{
	struct image_rows rows;
	struct trm_error *error;

	if (!arguments.source)
		return print(annotation, options);
	error = image_rows_init(&rows, annotation->image);
	if (error) {
		fprintf(stderr, "trammel: warning: no source lines of '%s': %s\n",
			annotation->module->path, error->message);
		trm_error_destroy(error);
		return print(annotation, options);
	}
	options->rows = &rows;
	error = print(annotation, options);
	image_rows_deinit(&rows);
	return error;
}

static struct trm_error *annotate(const struct report_profile *profile,
				  struct annotation_options *options)
{
	struct annotation_file file;
	struct annotation annotation;

	TRM_TRY(choose_function(profile, arguments.files.items[1], &file, &annotation));
	struct trm_error *error = show(&annotation, options);

	annotation_deinit(&annotation);
	annotation_close(&file);
	return error;
}

static struct trm_error *run(int argc, const char **argv)
{
	struct annotation_options options;
	struct report_filter filter = {0};
	struct report_profile *profile;

	TRM_TRY(arguments_parse("annotate", argc, argv, option_table, &arguments.files));
	if (arguments.help) {
		arguments_print_help(
			"Usage: trammel annotate [OPTION]... FILE FUNCTION\n"
			"Shows the instructions of a function with counts.\n",
			option_table);
		return NULL;
	}
	TRM_TRY(read_options(&options, &filter));
	TRM_TRY(choose_profile(arguments.files.items[0], &filter, &profile));
	struct trm_error *error = annotate(profile, &options);

	report_profile_destroy(profile);
	return error;
}

int cmd_annotate(int argc, const char **argv)
{
	int status = arguments_status(run(argc, argv), EXIT_DONE);

	arguments_reset(option_table, &arguments.files);
	return status;
}
