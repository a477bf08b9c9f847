#include "cli/exports/covering.h"

#include "coverage/lcov.h"
#include "coverage/show.h"
#include "report/runs.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "session/options/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* What one of the runs was to measure. */
struct wish {
	struct session_options *runs;
	size_t count;
};

static struct wish read_wish(const struct report_profile *profile)
{
	struct wish wish = {.count = profile->runs.count};

	wish.runs = memory_allocate_zeroed(wish.count, sizeof(*wish.runs));
	for (size_t i = 0; i < wish.count; i++) {
		const struct report_run *run = &profile->runs.items[i];

		patterns_add(&wish.runs[i].only, report_run_text(run, "run.only"));
		patterns_add(&wish.runs[i].skip, report_run_text(run, "run.skip"));
	}
	return wish;
}

static void forget_wish(struct wish *wish)
{
	for (size_t i = 0; i < wish->count; i++) {
		patterns_deinit(&wish->runs[i].only);
		patterns_deinit(&wish->runs[i].skip);
	}
	free(wish->runs);
}

static bool is_wanted(void *context, const char *module_path, const struct image *image,
		      const char *function, uint64_t address)
{
	const struct wish *wish = context;

	for (size_t i = 0; i < wish->count; i++)
		if (options_want_function(&wish->runs[i], module_path, image, function,
					  address))
			return true;
	return false;
}

void covering_init(struct coverage *coverage, const struct report_profile *profile,
		   const char *source)
{
	struct wish wish = read_wish(profile);

	coverage_init(coverage, profile, &(struct coverage_wish){&wish, is_wanted},
		      source);
	forget_wish(&wish);
}

static void tell_trouble(const struct coverage_module *module)
{
	const char *kind = coverage_trouble_kind(module);

	if (module->trouble)
		fprintf(stderr, "trammel: warning: %c%s of '%s': %s\n", tolower(*kind),
			kind + 1, module->module->path, module->trouble);
}

/* A tracefile has no room for what it lacks. */
void covering_warn(const struct coverage *coverage)
{
	size_t unmeasured = 0;

	vector_for_each (&coverage->profile->images, image)
		unmeasured += image->selected && *image->reason;
	if (unmeasured)
		fprintf(stderr,
			"trammel: warning: processes that were not measured, or not to "
			"their end: %zu (trammel report names them)\n",
			unmeasured);
	vector_for_each (&coverage->modules, module)
		tell_trouble(module);
}

static void add_left_out(struct text *text, size_t count, const char *one,
			 const char *many)
{
	if (!count)
		return;
	text_add(text, text->length ? ", " : "");
	report_add_count(text, count, one, many);
}

static void tell_left_out(const struct coverage_left_out *left_out)
{
	struct text text = {0};

	add_left_out(&text, left_out->missing, "source file that does not exist here",
		     "source files that do not exist here");
	if (left_out->missing) {
		text_add(&text, ", such as '");
		report_add_visible(&text, left_out->example);
		text_add(&text, "' (--keep-missing keeps them)");
	}
	add_left_out(&text, left_out->generated, "name that is not of a file",
		     "names that are not of files");
	add_left_out(&text, left_out->lines, "line behind the end of its source file",
		     "lines behind the ends of their source files");
	if (text.length)
		fprintf(stderr, "trammel: left out of the tracefile: %s\n", text.data);
	text_deinit(&text);
}

void covering_tracefile(const struct coverage *coverage, bool keep_missing,
			struct text *text)
{
	struct coverage_left_out left_out;
	size_t files = coverage_lcov(coverage, keep_missing, &left_out, text);

	covering_warn(coverage);
	tell_left_out(&left_out);
	if (!files)
		fprintf(stderr, "trammel: warning: the tracefile is empty: %s\n",
			coverage->files.count
				? "none of the source files is here"
				: "no module has debug information, compile with -g or "
				  "install debug files");
}
