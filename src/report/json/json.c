#include "report/json/json.h"

#include <inttypes.h>

/* An object being written: a comma stands in front of all members but the first. */
static void add_key(struct text *out, const char *key)
{
	if (out->data[out->length - 1] != '{')
		text_add(out, ", ");
	text_add_json(out, key);
	text_add(out, ": ");
}

static void add_string(struct text *out, const char *key, const char *value)
{
	if (!*value)
		return;
	add_key(out, key);
	text_add_json(out, value);
}

static void add_number(struct text *out, const char *key, uint64_t value)
{
	add_key(out, key);
	text_format(out, "%" PRIu64, value);
}

/* Begins and ends an object of a list, each on a line of its own. */
static void begin_item(struct text *out)
{
	text_add(out, out->data[out->length - 1] == '[' ? "\n  {" : ",\n  {");
}

static void begin_list(struct text *out, const char *key)
{
	text_format(out, ",\n\"%s\": [", key);
}

static void add_globals(struct text *out, const struct report_run *run)
{
	text_add(out, "{");
	vector_for_each (&run->globals, global) {
		add_key(out, global->name);
		record_value_json(out, global->value);
	}
	text_add(out, "}");
}

static void add_module_names(struct text *out, const struct report_module *module)
{
	add_key(out, "module");
	text_add_json(out, module->name);
	add_key(out, "module.path");
	text_add_json(out, module->path);
}

static void add_function(struct text *out, const struct report_profile *profile,
			 const struct report_function *function)
{
	add_module_names(out, &profile->modules.items[function->module]);
	add_key(out, "function");
	text_add_json(out, function->name);
	add_key(out, "offset");
	text_format(out, "\"0x%" PRIx64 "\"", function->offset);
}

static void add_functions(struct text *out, const struct report_profile *profile,
			  enum report_sort sort)
{
	const struct report_function **rows = report_profile_functions(profile, sort);

	for (size_t i = 0; i < profile->executed; i++) {
		begin_item(out);
		add_function(out, profile, rows[i]);
		add_number(out, "calls", rows[i]->calls);
		text_add(out, "}");
	}
	free(rows);
}

static void add_modules(struct text *out, const struct report_profile *profile,
			enum report_sort sort)
{
	size_t count;
	const struct report_module **rows = report_profile_modules(profile, sort, &count);

	for (size_t i = 0; i < count; i++) {
		begin_item(out);
		add_module_names(out, rows[i]);
		add_string(out, "buildid", rows[i]->build_id);
		add_number(out, "functions.known", rows[i]->known);
		add_number(out, "functions.instrumented", rows[i]->instrumented);
		add_number(out, "functions.executed", rows[i]->functions);
		add_number(out, "calls", rows[i]->calls);
		text_add(out, "}");
	}
	free(rows);
}

static void add_processes(struct text *out, const struct report_profile *profile,
			  enum report_sort sort)
{
	size_t count;
	const struct report_image **rows = report_profile_images(profile, &count);

	(void)sort; /* in the order in which they began */
	for (size_t i = 0; i < count; i++) {
		begin_item(out);
		add_number(out, "image", rows[i]->number);
		if (profile->runs.count > 1)
			add_number(out, "run", rows[i]->run);
		if (rows[i]->described)
			add_number(out, "process", rows[i]->process);
		if (rows[i]->parent)
			add_number(out, "process.parent", rows[i]->parent);
		if (rows[i]->threads)
			add_number(out, "threads", rows[i]->threads);
		add_string(out, "program", rows[i]->program);
		add_string(out, "process.state", rows[i]->state);
		add_string(out, "process.reason", rows[i]->reason);
		add_number(out, "functions.executed", rows[i]->functions);
		add_number(out, "calls", rows[i]->calls);
		text_add(out, "}");
	}
	free(rows);
}

static void add_skips(struct text *out, const struct report_profile *profile)
{
	const struct report_skip **skips = report_profile_skips(profile);

	for (size_t i = 0; i < profile->skipped; i++) {
		begin_item(out);
		add_function(out, profile, &profile->functions.items[skips[i]->function]);
		add_string(out, "skip.reason", skips[i]->reason);
		text_add(out, "}");
	}
	free(skips);
}

void report_json(const struct report_profile *profile,
		 const struct report_options *options, struct text *out)
{
	static void (*const add_rows[])(struct text * out,
					const struct report_profile *profile,
					enum report_sort sort) = {
		[REPORT_BY_FUNCTION] = add_functions,
		[REPORT_BY_MODULE] = add_modules,
		[REPORT_BY_PROCESS] = add_processes,
	};

	text_add(out, "{\"profile\": ");
	add_globals(out, &profile->runs.items[0]);
	if (profile->runs.count > 1) {
		begin_list(out, "runs");
		vector_for_each (&profile->runs, run) {
			text_add(out, run == profile->runs.items ? "\n  " : ",\n  ");
			add_globals(out, run);
		}
		text_add(out, "]");
	}
	begin_list(out, "rows");
	add_rows[options->by](out, profile, options->sort);
	text_add(out, "]");
	begin_list(out, "modules");
	add_modules(out, profile, options->sort);
	text_add(out, "]");
	begin_list(out, "processes");
	add_processes(out, profile, options->sort);
	text_add(out, "]");
	begin_list(out, "skipped");
	add_skips(out, profile);
	text_add(out, "]}\n");
}
