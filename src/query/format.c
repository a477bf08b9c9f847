#include "query/format.h"

#include "query/format/cali.h"
#include "query/format/caliper.h"
#include "query/format/caliper_result.h"
#include "query/format/html.h"
#include "query/format/json.h"
#include "query/format/json_split.h"
#include "query/format/lines.h"
#include "query/format/table.h"
#include "query/match.h"

/* Fields common to rows of both tables. */
#define CALI                                                                             \
	.name = "cali", .sink = &query_sink_cali, .streaming = QUERY_STREAMS,            \
	.print = query_print_cali
#define JSON_SPLIT .name = "json-split", .has_path = true, .print = query_print_json_split
#define TRACE_EVENT                                                                      \
	.name = "trace-event", .sink = &query_sink_trace_event,                          \
	.streaming = QUERY_STREAMS,                                                      \
	.options = {                                                                     \
		"counters", "pid-attributes", "tid-attributes", "sync", "pretty", NULL,  \
	}

/* The first one is that of queries that name none. */
const struct query_format query_formats[] = {
	{.name = "table", .takes_path = true, .print = query_print_table},
	{.name = "tree", .has_path = true, .takes_path = true, .print = query_print_tree},
	{.name = "json",
	 .has_path = true,
	 .streaming = QUERY_STREAMS,
	 .print = query_print_json},
	{JSON_SPLIT, .takes_path = true},
	{.name = "csv",
	 .takes_path = true,
	 .streaming = QUERY_STREAMS_LISTED,
	 .print = query_print_csv},
	{.name = "expand",
	 .takes_path = true,
	 .streaming = QUERY_STREAMS,
	 .print = query_print_expand},
	{.name = "folded",
	 .has_path = true,
	 .takes_path = true,
	 .print = query_print_folded},
	{.name = "html", .has_path = true, .takes_path = true, .print = query_print_html},
	{CALI, .takes_path = true},
	{TRACE_EVENT},
	{0},
};

#define CALIPER                                                                          \
	.sink = &query_sink_caliper, .streaming = QUERY_STREAMS,                         \
	.print = query_print_caliper

const struct query_format query_formats_caliper[] = {
	{.name = "cali",
	 .sink = &query_sink_cali,
	 .streaming = QUERY_STREAMS,
	 .print = query_print_caliper,
	 .caliper = &caliper_cali},
	{.name = "json",
	 CALIPER,
	 .caliper = &caliper_json,
	 .options = {"object", "pretty", "quote-all", "separate-nested", "records",
		     "split", NULL}},
	{.name = "expand", CALIPER, .caliper = &caliper_expand},
	{.name = "format",
	 CALIPER,
	 .caliper = &caliper_lines,
	 .needs_option = true,
	 .options = {"format", "title", NULL}},
	{.name = "table",
	 CALIPER,
	 .caliper = &caliper_table,
	 .options = {"column-width", "print-globals", NULL}},
	{.name = "tree",
	 CALIPER,
	 .has_path = true,
	 .caliper = &caliper_tree,
	 .options = {"path-attributes", "column-width", "print-globals", NULL}},
	{.name = "json-split", CALIPER, .caliper = &caliper_split},
	{TRACE_EVENT},
	{0},
};

void query_print(struct query_result *result, const struct query_style *style,
		 struct text *out)
{
	/* It may be set by another format. */
	result->most_bytes = 0;
	vector_for_each (&result->columns, column)
		column->unread = false;
	if (style->object)
		query_print_json(result, style, out);
	else if (query_makes_rows(result->query))
		result->query->format->print(result, style, out);
}

bool query_can_stream(const struct query *query, const struct query_style *style)
{
	bool listed = true, ordered = query->orders.count;

	if (query->format->caliper && query->format->caliper->orders)
		ordered = false;
	vector_for_each (&query->columns, column)
		listed &=
			column->kind != QUERY_COLUMN_ALL && !query_is_class(column->name);
	return !query_is_aggregating(query) && !ordered && !query->limited &&
	       !style->object && !query->object &&
	       (query->format->streaming == QUERY_STREAMS ||
		(query->format->streaming == QUERY_STREAMS_LISTED && listed));
}

bool query_makes_rows(const struct query *query)
{
	return query->format->print != NULL;
}
