#include "report/json/parts.h"

#include "record/value.h"

#include <inttypes.h>

void json_add_key(struct text *out, const char *key)
{
	if (out->data[out->length - 1] != '{')
		text_add(out, ", ");
	text_add_json(out, key);
	text_add(out, ": ");
}

void json_add_string(struct text *out, const char *key, const char *value)
{
	if (!*value)
		return;
	json_add_key(out, key);
	text_add_json(out, value);
}

void json_add_number(struct text *out, const char *key, uint64_t value)
{
	json_add_key(out, key);
	text_format(out, "%" PRIu64, value);
}

void json_add_boolean(struct text *out, const char *key, bool value)
{
	json_add_key(out, key);
	text_add(out, value ? "true" : "false");
}

void json_add_address(struct text *out, const char *key, uint64_t address)
{
	json_add_key(out, key);
	text_format(out, "\"0x%" PRIx64 "\"", address);
}

void json_add_place(struct text *out, const char *path,
		    const struct report_function *function)
{
	json_add_string(out, "module.path", path);
	json_add_string(out, "function", function->name);
	json_add_address(out, "offset", function->offset);
}

void json_begin_item(struct text *out)
{
	text_add(out, out->data[out->length - 1] == '[' ? "\n  {" : ",\n  {");
}

void json_begin_list(struct text *out, const char *key)
{
	text_format(out, ",\n\"%s\": [", key);
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
