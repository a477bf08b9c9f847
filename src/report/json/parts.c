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
