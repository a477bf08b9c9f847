/* The runs of a profile, and its end. */
#include "report/runs.h"

#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

const struct record_value *report_run_global(const struct report_run *run,
					     const char *name)
{
	vector_for_each (&run->globals, global)
		if (!strcmp(global->name, name))
			return &global->value;
	return NULL;
}

const char *report_run_text(const struct report_run *run, const char *name)
{
	const struct record_value *value = report_run_global(run, name);

	return value && value->type == RECORD_STRING ? value->bytes : "";
}

bool report_run_is_coverage(const struct report_run *run)
{
	scoped_free char *copy = memory_copy_string(report_run_text(run, "run.measure"));
	char *rest = copy, *name;

	bool any = false;

	while ((name = strsep(&rest, ","))) {
		/* Samples beside coverage leave it what it is. */
		if (!strncmp(name, "samples", 7))
			continue;
		if (strcmp(name, "coverage") != 0 && strcmp(name, "block-coverage") != 0)
			return false;
		any = true;
	}
	return any;
}

/* Whether a measurement of the list is among some, up to NULL, or is not. */
static bool has_one(const char *measure, const char *const *names, bool among)
{
	scoped_free char *copy = memory_copy_string(measure);
	char *rest = copy, *name;

	while ((name = strsep(&rest, ","))) {
		bool found = false;

		for (const char *const *one = names; *one; one++)
			found |= !strcmp(name, *one);
		if (found == among)
			return true;
	}
	return false;
}

static const char *const of_blocks[] = {"blocks", "block-coverage", "edges", "pbo", NULL};

bool report_measure_has_blocks(const char *measure)
{
	return has_one(measure, of_blocks, true);
}

/* The same of any run of a profile. */
static bool any_has_one(const struct report_profile *profile, const char *const *names,
			bool among)
{
	vector_for_each (&profile->runs, run)
		if (has_one(report_run_text(run, "run.measure"), names, among))
			return true;
	return false;
}

bool report_has_measured(const struct report_profile *profile, const char *const *names)
{
	return any_has_one(profile, names, true);
}

bool report_has_measured_blocks(const struct report_profile *profile)
{
	return any_has_one(profile, of_blocks, true);
}

bool report_has_measured_code(const struct report_profile *profile)
{
	static const char *const context[] = {"regions", "trace", "mpi", "openmp", NULL};

	return any_has_one(profile, context, false);
}

struct trm_error *report_error_empty(const char *path)
{
	return trm_error_create(TRM_ERROR_FORMAT,
				"'%s' holds nothing: its writer was stopped before it "
				"could write, measure again",
				path);
}

struct trm_error *report_blocks_stayed(const char *path)
{
	return trm_error_create(
		TRM_ERROR_USAGE,
		"no counts of blocks in '%s', though its run counted them: "
		"functions that cannot be moved (as Go's) are counted at "
		"their entry only",
		path);
}
