/*
 * The formats of results. A new one is a file in format/ and a row of the table in
 * format.c.
 */
#ifndef TRAMMEL_QUERY_FORMAT_H
#define TRAMMEL_QUERY_FORMAT_H

#include "query/result.h"

/* Whether rows can be printed one part after the other. */
enum query_streaming {
	QUERY_STREAMS_NEVER = 0,
	QUERY_STREAMS_LISTED, /* if all columns are known from the beginning */
	QUERY_STREAMS,
};

struct query_format {
	const char *name;
	/* `*` shows the path as one column, instead of each of its attributes. */
	bool has_path;
	/* The words in parentheses behind it are the attributes that make the path. */
	bool takes_path;
	/* If not NULL, takes records that are passed on as they are. */
	const struct query_sink *sink;
	enum query_streaming streaming;
	/* NULL: records are all that it can show, by its sink. */
	void (*print)(struct query_result *result, const struct query_style *style,
		      struct text *out);
	/* What may stand in the parentheses, up to NULL. */
	const char *options[7];
	bool needs_option;
	/* Of cali-query: what takes records as Caliper has them. */
	const struct caliper_format *caliper;
};

extern const struct query_format query_formats[]; /* up to one without a name */
/* Those of cali-query, which look as those of LLNL's Caliper do. */
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

/* Between two rows: gives the output what there is, if it is much. */
void query_give(const struct query_style *style, struct text *out);

/* Adds {"name": value, ...} of a list of pairs. */
void query_add_globals(struct text *out, const struct query_globals *globals);

#endif
