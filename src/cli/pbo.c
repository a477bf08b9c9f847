/* `trammel pbo`: see man/trammel-pbo.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"

#include "derive/pbo.h"

#include <stdio.h>
#include <string.h>

static struct {
	struct showing shown;
	int fdata, autofdo;
	char *output;
} arguments;

static const struct poptOption option_table[] = {
	{"fdata", 0, POPT_ARG_NONE, &arguments.fdata, 0,
	 "for llvm-bolt: branches with counts", NULL},
	{"autofdo", 0, POPT_ARG_NONE, &arguments.autofdo, 0,
	 "for clang -fprofile-sample-use: samples by line", NULL},
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "write it here (default: to standard output)", "FILE"},
	SHOWING_MODULE(arguments.shown),
	SHOWING_PROCESS(arguments.shown),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *check_arguments(void)
{
	if (arguments.shown.words.count != 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"one profile is written, not %zu: trammel pbo "
					"--fdata FILE",
					arguments.shown.words.count);
	if (arguments.fdata + arguments.autofdo != 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"for whom? Choose one: --fdata or --autofdo");
	return NULL;
}

static bool is_main(const struct report_profile *profile,
		    const struct report_module *module)
{
	vector_for_each (&profile->images, image)
		if (image->selected && !strcmp(image->program, module->path))
			return true;
	return false;
}

/* The one module that is meant: --module, or else the program itself. */
static struct trm_error *choose_module(const struct report_profile *profile,
				       const struct report_module **ret_module)
{
	const struct report_module *chosen = NULL;
	size_t count = 0;

	vector_for_each (&profile->modules, module) {
		if (!module->selected || !module->blocks ||
		    (!arguments.shown.module && !is_main(profile, module)))
			continue;
		count++;
		chosen = module;
	}
	if (count != 1)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"%zu modules are meant: choose one with --module; "
			"trammel report --by module shows them",
			count);
	*ret_module = chosen;
	return NULL;
}

static void print_result(const struct pbo_result *result)
{
	const struct {
		size_t count;
		const char *what;
	} lines[] = {
		{result->nameless,
		 arguments.fdata ? "without a symbol" : "without debug information"},
		{result->without, "without a graph"},
		{result->uncounted, "without counts of blocks"},
	};

	fprintf(stderr, "trammel: functions written: %zu", result->written);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (lines[i].count)
			fprintf(stderr, "; left out, %s: %zu", lines[i].what,
				lines[i].count);
	fputs("\n", stderr);
}

static struct trm_error *write_profile(const struct report_profile *profile)
{
	const struct report_module *module = NULL;
	struct pbo_result result;
	struct text text = {0};

	TRM_TRY(choose_module(profile, &module));
	struct trm_error *error = arguments.fdata
					  ? pbo_fdata(profile, module, &result, &text)
					  : pbo_autofdo(profile, module, &result, &text);

	if (!error)
		error = showing_write(arguments.output, &text);
	if (!error)
		print_result(&result);
	text_deinit(&text);
	return error;
}

static struct trm_error *run(int *ret_status)
{
	const char *path;
	struct report_profile *profile;
	struct report_filter filter;

	(void)ret_status;
	TRM_TRY(check_arguments());
	path = arguments.shown.words.items[0];
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY(showing_load(path, &filter, &profile));
	struct trm_error *error = showing_need_blocks(profile, path);

	if (!error)
		error = write_profile(profile);
	report_profile_destroy(profile);
	return error;
}

int cmd_pbo(int argc, const char **argv)
{
	static const struct showing_command command = {
		"pbo",
		"Usage: trammel pbo --fdata|--autofdo [OPTION]... FILE\n"
		"Writes a profile for compilers.\n",
		option_table,
		&arguments.shown,
		run,
	};

	return showing_command(&command, argc, argv);
}
