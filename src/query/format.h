/*
 * The formats of results. To add one: a file in format/ and a row of the table in
 * format.c.
 */
#ifndef TRAMMEL_QUERY_FORMAT_H
#define TRAMMEL_QUERY_FORMAT_H

#include "query/format_type.h"
#include "query/result.h"

extern const struct query_format query_formats[]; /* the last one has no name */
/* Formats of cali-query, which look like those of LLNL's Caliper. */
extern const struct query_format query_formats_caliper[];

extern const struct query_sink query_sink_cali, query_sink_caliper,
	query_sink_trace_event;

/* Adds the result in the query's format, or as JSON if style.object. Text passed to
 * style.output is removed from `out`. */
void query_print(struct query_result *result, const struct query_style *style,
		 struct text *out);

/* Whether rows can be printed while files are read: each record is a row, whose form and
 * position do not depend on later ones. */
bool query_can_stream(const struct query *query, const struct query_style *style);

/* Whether the query's format shows rows; else it can only stream. */
bool query_makes_rows(const struct query *query);

#endif
