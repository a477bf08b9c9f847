/* `trammel merge`: see man/trammel-merge.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"

#include "record/output.h"

#include <stdio.h>
#include <sys/stat.h>

static struct {
	struct showing shown;
	char *output;
} arguments;

static const struct poptOption option_table[] = {
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "write the merged profile here (required)", "FILE"},
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

/* The output is emptied before anything is read: it must be none of the inputs, under the
 * name that it has until it is whole. */
static struct trm_error *check_inputs(void)
{
	struct text part = {0};
	struct stat output, input;
	struct trm_error *error = NULL;

	text_format(&part, "%s.part", arguments.output);
	bool there = !stat(part.data, &output);

	vector_for_each (&arguments.shown.words, file) {
		if (error || !there || stat(*file, &input) ||
		    input.st_dev != output.st_dev || input.st_ino != output.st_ino)
			continue;
		error = trm_error_create(TRM_ERROR_USAGE,
					 "'%s' would be written over while it is read: "
					 "choose another name with -o",
					 *file);
	}
	text_deinit(&part);
	return error;
}

static struct trm_error *run_merge(int *ret_status)
{
	struct trm_output output;

	(void)ret_status;
	if (!arguments.output || !arguments.shown.words.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"no %s: trammel merge -o FILE PROFILE...",
					arguments.output ? "profile" : "output");
	TRM_TRY(check_inputs());
	TRM_TRY(trm_output_open(arguments.output, &output));
	return trm_output_close(&output, showing_merge(&arguments.shown, output.fd));
}

const struct command cmd_merge = {
	.name = "merge",
	.summary = "make one profile of several",
	.usage = "Usage: trammel merge -o FILE PROFILE...\n"
		 "Makes one profile of several.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_merge,
};
