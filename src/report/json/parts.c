#include "report/json/parts.h"

#include "record/value.h"

void json_add_place(struct text *out, const char *path,
		    const struct report_function *function)
{
	json_add_string(out, "module.path", path);
	json_add_string(out, "function", function->name);
	json_add_address(out, "offset", function->offset);
}

void json_add_globals(struct text *out, const struct report_run *run)
{
	text_add(out, "{");
	vector_for_each (&run->globals, global) {
		json_add_key(out, global->name);
		record_value_json(out, global->value);
	}
	text_add(out, "}");
}

void json_add_module(struct text *out, const struct report_module *module)
{
	json_add_text(out, "module", module->name);
	json_add_text(out, "module.path", module->path);
}

void json_add_function(struct text *out, const struct report_profile *profile,
		       const struct report_function *function)
{
	json_add_module(out, &profile->modules.items[function->module]);
	json_add_text(out, "function", function->name);
	json_add_address(out, "offset", function->offset);
}

void json_add_arc(struct text *out, const struct report_profile *profile,
		  const struct report_arc *arc)
{
	json_add_function(out, profile, &profile->functions.items[arc->function]);
	if (arc->caller_module != REPORT_UNKNOWN)
		json_add_string(out, "caller.path",
				profile->modules.items[arc->caller_module].path);
	if (arc->caller != REPORT_UNKNOWN) {
		json_add_string(out, "caller",
				profile->functions.items[arc->caller].name);
		json_add_address(out, "caller.offset",
				 profile->functions.items[arc->caller].offset);
	}
	if (arc->site)
		json_add_address(out, "arc.site", arc->site);
	json_add_string(out, "arc.kind", arc->kind);
	json_add_number(out, "arc.count", arc->count);
}
