/* `trammel import`: see man/trammel-import.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"

#include "base/json_write.h"
#include "import/import.h"
#include "record/output.h"

#include <stdio.h>

static struct {
	struct showing shown;
	int list;
	char *from, *output, *type;
} arguments;

static const struct poptOption option_table[] = {
	{"from", 0, POPT_ARG_STRING, &arguments.from, 0,
	 "the format of the file (default: what it looks like)", "FORMAT"},
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "write the profile here (required)", "FILE"},
	{"type", 0, POPT_ARG_STRING, &arguments.type, 0,
	 "folded: what its numbers are: calls, instructions, time, an event ... "
	 "(default: "
	 "samples)",
	 "NAME"},
	{"list", 0, POPT_ARG_NONE, &arguments.list, 0,
	 "show the formats, and what writes them", NULL},
	SHOWING_JSON(arguments.shown),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *list_formats(void)
{
	const struct import_format *format = import_formats;
	struct text text = {0};

	if (arguments.shown.json) {
		text_add(&text, "{\"formats\": [");
	}
	for (; format->name; format++) {
		if (!arguments.shown.json) {
			text_format(&text, "%-12s of  %s\n", format->name, format->of);
			continue;
		}
		json_begin_item(&text);
		json_add_text(&text, "format", format->name);
		json_add_text(&text, "writers", format->of);
		text_add(&text, "}");
	}
	if (arguments.shown.json)
		text_add(&text, "]}\n");
	return showing_print(&arguments.shown, &text, false);
}

static struct trm_error *import_file(struct import_input *input)
{
	const struct import_options options = {.type = arguments.type};
	const struct import_format *format = NULL;
	struct trm_output output;

	TRM_TRY(import_format_find(arguments.from, input, &format));
	TRM_TRY(trm_output_open(arguments.output, &output));
	struct trm_error *error = import_write(format, input, &options, output.fd);

	/* It is about the input: the output is not named. */
	if (!error)
		return trm_output_close(&output, NULL);
	trm_error_destroy(trm_output_close(
		&output, trm_error_create(TRM_ERROR_FORMAT, "%s", error->message)));
	return error;
}

static struct trm_error *run_import(int *ret_status)
{
	struct import_input input;

	(void)ret_status;
	if (arguments.list)
		return list_formats();
	if (!arguments.output || arguments.shown.words.count != 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"one file and an output are needed: trammel "
					"import -o PROFILE FILE");
	TRM_TRY(import_input_read(&input, arguments.shown.words.items[0]));
	struct trm_error *error = import_file(&input);

	import_input_deinit(&input);
	return error;
}

const struct command cmd_import = {
	.name = "import",
	.summary = "make a profile of another program's file",
	.usage = "Usage: trammel import [OPTION]... -o PROFILE FILE\n"
		 "       trammel import --list\n"
		 "Makes a profile of a file of callgrind, perf script, gcov, pprof or of "
		 "folded stacks.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_import,
};
