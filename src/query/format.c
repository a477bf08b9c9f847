#include "query/format.h"

/* The first one is that of queries that name none. */
const struct query_format query_formats[] = {
	{"table", false, true, QUERY_STREAMS_NEVER, query_print_table},
	{"tree", true, true, QUERY_STREAMS_NEVER, query_print_tree},
	{"json", true, false, QUERY_STREAMS, query_print_json},
	{"json-split", true, true, QUERY_STREAMS_NEVER, query_print_json_split},
	{"csv", false, true, QUERY_STREAMS_LISTED, query_print_csv},
	{"expand", false, true, QUERY_STREAMS, query_print_expand},
	{"folded", true, true, QUERY_STREAMS_NEVER, query_print_folded},
	{"html", true, true, QUERY_STREAMS_NEVER, query_print_html},
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
