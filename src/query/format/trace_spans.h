/*
 * Matches beginnings and ends to spans, in the order of the records, which for each
 * thread is mostly the order of time. Where time jumps back, as between parts of a trace
 * that were written last part first, unmatched halves are kept, and matched at the end of
 * the file in the order of time.
 */
#ifndef TRAMMEL_QUERY_FORMAT_TRACE_SPANS_H
#define TRAMMEL_QUERY_FORMAT_TRACE_SPANS_H

#include "query/format/trace_json.h"

struct trace_spans;

/* A beginning or an end. */
struct trace_mark {
	struct trace_place place;
	int64_t ns;
	uint32_t kind; /* an end belongs to the innermost beginning of equal kind */
	const char *category; /* must live until the end of the file */
	const char *name;     /* copied if needed */
	record_node node;     /* that begins; 0: unknown */
	uint32_t frame;
};

struct trace_spans *trace_spans_create(struct trace_json *json);
void trace_spans_destroy(struct trace_spans *spans);

void trace_spans_begin(struct trace_spans *spans, const struct trace_mark *mark);
void trace_spans_end(struct trace_spans *spans, const struct trace_mark *mark);
/* Notes the iteration number of the innermost open span. */
void trace_spans_iterate(struct trace_spans *spans, struct trace_place place,
			 int64_t iteration);
/* The node of an open span, `depth` spans out from the innermost (0); UINT32_MAX if there
 * are fewer. */
record_node trace_spans_open(struct trace_spans *spans, struct trace_place place,
			     size_t depth);
/* Ends the file: open spans have no end, and unmatched ends began before the trace. */
void trace_spans_close(struct trace_spans *spans);

#endif
