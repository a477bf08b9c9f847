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

void query_print_table(struct query_result *result, const struct query_style *style,
		       struct text *out);
void query_print_tree(struct query_result *result, const struct query_style *style,
		      struct text *out);
void query_print_json(struct query_result *result, const struct query_style *style,
		      struct text *out);
void query_print_json_split(struct query_result *result, const struct query_style *style,
			    struct text *out);
void query_print_csv(struct query_result *result, const struct query_style *style,
		     struct text *out);
void query_print_expand(struct query_result *result, const struct query_style *style,
			struct text *out);
void query_print_folded(struct query_result *result, const struct query_style *style,
			struct text *out);
void query_print_html(struct query_result *result, const struct query_style *style,
		      struct text *out);
void query_print_caliper(struct query_result *result, const struct query_style *style,
			 struct text *out);
void query_print_cali(struct query_result *result, const struct query_style *style,
		      struct text *out);

extern const struct query_sink query_sink_cali, query_sink_caliper,
	query_sink_trace_event;

/* Between two rows: hands `out` to the output if it is long. */
void query_give(const struct query_style *style, struct text *out);

/* Adds a list of pairs as {"name": value, ...}. */
void query_add_globals(struct text *out, const struct query_globals *globals);

#endif
