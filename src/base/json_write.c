#include "base/json_write.h"

#include <inttypes.h>

void json_add_key(struct text *out, const char *key)
{
	if (out->data[out->length - 1] != '{')
		text_add(out, ", ");
	text_add_json(out, key);
	text_add(out, ": ");
}

void json_add_text(struct text *out, const char *key, const char *value)
{
	json_add_key(out, key);
	text_add_json(out, value);
}

void json_add_string(struct text *out, const char *key, const char *value)
{
	if (*value)
		json_add_text(out, key, value);
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

void json_begin_item(struct text *out)
{
	bool first = !out->length || out->data[out->length - 1] == '[';

	text_add(out, first ? "\n  {" : ",\n  {");
}

void json_begin_list(struct text *out, const char *key)
{
	text_format(out, ",\n\"%s\": [", key);
}
