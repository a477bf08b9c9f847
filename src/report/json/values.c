#include "report/json/values.h"

#include <inttypes.h>
#include <string.h>

static void add_text(struct text *out, const char *name, const char *value)
{
	text_format(out, ", \"%s\": ", name);
	if (value)
		text_add_json(out, value);
	else
		text_add(out, "null");
}

static void add_share(struct text *out, const char *name, double share)
{
	if (share < 0)
		text_format(out, ", \"%s\": null", name);
	else
		text_format(out, ", \"%s\": %.6f", name, share);
}

static void add_counts(struct text *out, const char *name,
		       const struct report_value_counts *counts)
{
	text_format(out, ", \"%s\": [", name);
	vector_for_each (counts, count)
		text_format(out, "%s{\"value\": %" PRId64 ", \"times\": %" PRIu64 "}",
			    count == counts->items ? "" : ", ", count->value,
			    count->times);
	text_add(out, "]");
}

static void add_row(struct text *out, const struct report_value *value)
{
	const struct report_tool_code *code = &value->code;

	text_format(out, "{\"address\": %" PRIu64, value->at);
	add_text(out, "module.path", code->path);
	add_text(out, "function", code->function);
	if (code->has_offset)
		text_format(out, ", \"offset\": %" PRIu64, code->offset);
	if (code->line) {
		add_text(out, "source.file", code->file);
		text_format(out, ", \"source.line\": %" PRIu64, code->line);
	}
	add_text(out, "kind", value->kind);
	add_text(out, "what", value->what);
	if (value->region)
		add_text(out, "region.path", value->region);
	text_format(out,
		    ", \"seen\": %" PRIu64 ", \"looked\": %" PRIu64
		    ", \"zeros\": %" PRIu64 ", \"pairs\": %" PRIu64
		    ", \"same\": %" PRIu64,
		    value->seen, value->looked, value->zeros, value->pairs, value->same);
	add_share(out, "invariance", report_value_invariance(value));
	add_share(out, "zero", report_value_zeros(value));
	add_share(out, "last", report_value_same(value));
	add_counts(out, "values", &value->top);
	add_counts(out, "strides", &value->strides);
	text_add(out, "}");
}

void report_values_json(struct text *out, const struct report_values *values)
{
	text_add(out, "{\"rows\": [");
	vector_for_each (&values->items, value) {
		text_add(out, value == values->items.items ? "\n" : ",\n");
		add_row(out, value);
	}
	text_add(out, "]}\n");
}
