/* The runs of a profile. */
#include "report/profile.h"

#include "base/cleanup.h"

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

	while ((name = strsep(&rest, ",")))
		if (strcmp(name, "coverage") != 0 && strcmp(name, "block-coverage") != 0)
			return false;
	return true;
}

struct trm_error *report_error_empty(const char *path)
{
	return trm_error_create(TRM_ERROR_FORMAT,
				"'%s' holds nothing: its writer was stopped before it "
				"could write, measure again",
				path);
}
