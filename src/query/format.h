/*
 * The formats of results. To add one: a file in format/ and a row of the table in
 * format.c.
 */
#ifndef TRAMMEL_QUERY_FORMAT_H
#define TRAMMEL_QUERY_FORMAT_H

#include "query/result.h"

/* Whether rows can be printed in pieces, before all are known. */
enum query_streaming {
	QUERY_STREAMS_NEVER = 0,
	QUERY_STREAMS_LISTED, /* if all columns are known from the start */
	QUERY_STREAMS,
};

struct query_format {
	const char *name;
	/* `*` shows the path as one column, not a column for each of its attributes. */
	bool has_path;
	/* Words in parentheses behind its name are the attributes that make up the path.
	 */
	bool takes_path;
	/* Receives records unchanged, if not NULL. */
	const struct query_sink *sink;
	enum query_streaming streaming;
	/* Prints a result; NULL: the format only takes records, by its sink. */
	void (*print)(struct query_result *result, const struct query_style *style,
		      struct text *out);
	/* Words allowed in the parentheses, NULL at the end. */
	const char *options[7];
	bool needs_option;
	/* Formats of cali-query: receives records in Caliper's form. */
	const struct caliper_format *caliper;
};

extern const struct query_format query_formats[]; /* the last one has no name */
/* Formats of cali-query, which look like those of LLNL's Caliper. */
extern const struct query_format query_formats_caliper[];

void query_print_json(struct query_result *result, const struct query_style *style,
		      struct text *out);
void query_print_json_split(struct query_result *result, const struct query_style *style,
			    struct text *out);

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
