/* `trammel pbo`: see man/trammel-pbo.1.md. */
#include "cli/pbo.h"

#include "base/array.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/showing.h"
#include "derive/autofdo.h"
#include "derive/fdata.h"
#include "derive/pbo.h"
#include "report/select.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
					"choose one format: --fdata or --autofdo");
	return NULL;
}

/* The module of the first program that was executed and is selected; NULL: none. */
static const struct report_module *find_main(const struct report_profile *profile)
{
	vector_for_each (&profile->images, image)
		vector_for_each (&profile->modules, module)
			if (image->selected && module->selected && module->blocks &&
			    !strcmp(image->program, module->path))
				return module;
	return NULL;
}

/* The one module that is meant: --module, or else the program itself. */
static struct trm_error *choose_module(const struct report_profile *profile,
				       const char *glob,
				       const struct report_module **ret_module)
{
	const struct report_module *chosen = NULL;
	size_t count = 0;

	if (!glob) {
		*ret_module = find_main(profile);
		return *ret_module
			       ? NULL
			       : trm_error_create(TRM_ERROR_USAGE,
						  "no blocks of the program itself "
						  "were counted: choose a module with "
						  "--module");
	}
	vector_for_each (&profile->modules, module) {
		if (!module->selected || !module->blocks)
			continue;
		count++;
		chosen = module;
	}
	if (count != 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"--module '%s' means %zu modules with counts of "
					"blocks: trammel report --by module shows them",
					glob, count);
	*ret_module = chosen;
	return NULL;
}

/* What both commands write. */
static const struct form {
	const char *ending;
	struct trm_error *(*make)(const struct report_profile *profile,
				  const struct report_module *module,
				  struct pbo_result *ret_result, struct text *out);
	const char *lack;
} forms[] = {
	{"fdata", pbo_fdata, "without a symbol"},
	{"afdo", pbo_autofdo, "without debug information"},
};

static void print_result(const struct form *form, const struct pbo_result *result)
{
	const struct {
		size_t count;
		const char *what;
	} lines[] = {
		{result->nameless, form->lack},
		{result->without, "without a graph"},
		{result->uncounted, "without counts of blocks"},
	};

	fprintf(stderr, "trammel: functions written: %zu", result->written);
	for (size_t i = 0; i < array_count(lines); i++)
		if (lines[i].count)
			fprintf(stderr, "; left out, %s: %zu", lines[i].what,
				lines[i].count);
	fputs("\n", stderr);
}

/* `path` NULL: standard output. */
static struct trm_error *write_form(const struct form *form,
				    const struct report_profile *profile,
				    const struct report_module *module, const char *path,
				    struct pbo_result *ret_result)
{
	struct text text = {0};
	struct trm_error *error = form->make(profile, module, ret_result, &text);

	if (!error)
		error = showing_write(path, &text);
	text_deinit(&text);
	return error;
}

static void write_all(const struct report_profile *profile, const char *profile_path,
		      bool quiet)
{
	const struct report_module *module = find_main(profile);
	size_t length = strlen(profile_path);

	if (length > 4 && !strcmp(profile_path + length - 4, ".trm"))
		length -= 4;
	if (!module)
		fputs("trammel: nothing for compilers: no blocks of the program itself "
		      "were "
		      "counted\n",
		      stderr);
	for (size_t i = 0; module && i < array_count(forms); i++) {
		struct pbo_result result;
		struct text path = {0};

		text_format(&path, "%.*s.%s", (int)length, profile_path, forms[i].ending);
		struct trm_error *error =
			write_form(&forms[i], profile, module, path.data, &result);

		if (error)
			fprintf(stderr, "trammel: no %s: %s\n", path.data,
				error->message);
		else if (!quiet)
			fprintf(stderr, "trammel: %s: %zu functions\n", path.data,
				result.written);
		trm_error_destroy(error);
		text_deinit(&path);
	}
}

void pbo_write_beside(const char *profile_path, bool quiet)
{
	struct report_profile *profile;
	struct stat info;

	/* A pipe or a device has nothing beside it, and cannot be read again. */
	if (stat(profile_path, &info) || !S_ISREG(info.st_mode))
		return;
	struct trm_error *error =
		showing_load(profile_path, &(struct report_filter){0}, &profile);

	if (error) {
		trm_error_print(error);
		return;
	}
	write_all(profile, profile_path, quiet);
	report_profile_destroy(profile);
}

struct trm_error *pbo_make(const struct report_profile *profile, bool autofdo,
			   const char *module_glob, struct text *out)
{
	const struct form *form = &forms[autofdo];
	const struct report_module *module = NULL;
	struct pbo_result result;

	TRM_TRY(choose_module(profile, module_glob, &module));
	TRM_TRY(form->make(profile, module, &result, out));
	print_result(form, &result);
	return NULL;
}

static struct trm_error *write_profile(const struct report_profile *profile)
{
	const struct form *form = &forms[arguments.autofdo != 0];
	const struct report_module *module = NULL;
	struct pbo_result result;

	TRM_TRY(choose_module(profile, arguments.shown.module, &module));
	TRM_TRY(write_form(form, profile, module, arguments.output, &result));
	print_result(form, &result);
	return NULL;
}

static struct trm_error *run_pbo(int *ret_status)
{
	scoped_profile struct report_profile *profile = NULL;
	struct report_filter filter;

	(void)ret_status;
	TRM_TRY(check_arguments());
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	TRM_TRY(choose_profile(arguments.shown.words.items[0], &filter, &profile));
	return write_profile(profile);
}

const struct command cmd_pbo = {
	.name = "pbo",
	.summary = "write a profile for compilers",
	.usage = "Usage: trammel pbo --fdata|--autofdo [OPTION]... FILE\n"
		 "Writes a profile for compilers.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_pbo,
};
