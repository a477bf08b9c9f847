#include "query/format.h"

/* The first one is that of queries that name none. */
const struct query_format query_formats[] = {
	{"table",
	 false,
	 true,
	 false,
	 QUERY_STREAMS_NEVER,
	 query_print_table,
	 {NULL},
	 NULL},
	{"tree", true, true, false, QUERY_STREAMS_NEVER, query_print_tree, {NULL}, NULL},
	{"json", true, false, false, QUERY_STREAMS, query_print_json, {NULL}, NULL},
	{"json-split",
	 true,
	 true,
	 false,
	 QUERY_STREAMS_NEVER,
	 query_print_json_split,
	 {NULL},
	 NULL},
	{"csv", false, true, false, QUERY_STREAMS_LISTED, query_print_csv, {NULL}, NULL},
	{"expand", false, true, false, QUERY_STREAMS, query_print_expand, {NULL}, NULL},
	{"folded",
	 true,
	 true,
	 false,
	 QUERY_STREAMS_NEVER,
	 query_print_folded,
	 {NULL},
	 NULL},
	{"html", true, true, false, QUERY_STREAMS_NEVER, query_print_html, {NULL}, NULL},
	{"cali", false, true, true, QUERY_STREAMS, query_print_cali, {NULL}, NULL},
	{0},
};

static const struct query_format json_separate = {.name = "json",
						  .streaming = QUERY_STREAMS_NEVER,
						  .print = query_print_caliper_json};

const struct query_format query_formats_caliper[] = {
	{"cali", false, false, true, QUERY_STREAMS, query_print_cali, {NULL}, NULL},
	{"json",
	 true,
	 false,
	 false,
	 QUERY_STREAMS_NEVER,
	 query_print_caliper_json,
	 {"object", "pretty", "quote-all", "separate-nested", "records", "split", NULL},
	 &json_separate},
	{"expand",
	 false,
	 false,
	 false,
	 QUERY_STREAMS,
	 query_print_caliper_expand,
	 {NULL},
	 NULL},
	{"format",
	 false,
	 false,
	 false,
	 QUERY_STREAMS,
	 query_print_caliper_format,
	 {"format", "title", NULL},
	 NULL},
	{"table",
	 false,
	 false,
	 false,
	 QUERY_STREAMS_NEVER,
	 query_print_caliper_table,
	 {"column-width", "print-globals", NULL},
	 NULL},
	{"tree",
	 true,
	 false,
	 false,
	 QUERY_STREAMS_NEVER,
	 query_print_caliper_tree,
	 {"path-attributes", "column-width", "print-globals", NULL},
	 NULL},
	{"json-split",
	 true,
	 false,
	 false,
	 QUERY_STREAMS_NEVER,
	 query_print_json_split,
	 {NULL},
	 NULL},
	{0},
};

void query_print(struct query_result *result, const struct query_style *style,
		 struct text *out)
{
	if (style->object)
		query_print_json(result, style, out);
	else
		result->query->format->print(result, style, out);
}

bool query_can_stream(const struct query *query, const struct query_style *style)
{
	bool listed = true;

	vector_for_each (&query->columns, column)
		listed &=
			column->kind != QUERY_COLUMN_ALL && !query_is_class(column->name);
	return !query_is_aggregating(query) && !query->orders.count && !query->limited &&
	       !style->object && !query->object &&
	       (query->format->streaming == QUERY_STREAMS ||
		(query->format->streaming == QUERY_STREAMS_LISTED && listed));
}

void query_add_globals(struct text *out, const struct query_globals *globals)
{
	text_add(out, "{");
	vector_for_each (globals, global) {
		text_add(out, global == globals->items ? "" : ", ");
		text_add_json(out, global->name);
		text_add(out, ": ");
		record_value_json(out, global->value);
	}
	text_add(out, "}");
}
