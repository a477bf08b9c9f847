/* What a format of results is. */
#ifndef TRAMMEL_QUERY_FORMAT_TYPE_H
#define TRAMMEL_QUERY_FORMAT_TYPE_H

#include "query/query.h"

struct caliper_printing;
struct caliper_record;
struct query_result;

/* A format: the size of its state, and functions that take records. */
struct caliper_format {
	size_t size; /* of its state */
	/* Sorts records itself, by ORDER BY. */
	bool orders;
	void (*begin)(struct caliper_printing *printing); /* or NULL */
	void (*record)(struct caliper_printing *printing,
		       const struct caliper_record *record);
	/* Prints the end and frees the contents of the state, but not the state. */
	void (*end)(struct caliper_printing *printing); /* or NULL */
};

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

#endif
