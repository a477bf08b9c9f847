/*
 * Begins and ends become spans, in the order in which they come; of each thread that is
 * mostly the order of time. Where time jumps back, as between the parts of a trace that
 * were written last first, what had no other half is kept, and is put together at the
 * end of the file in the order of time.
 */
#ifndef TRAMMEL_QUERY_FORMAT_TRACE_SPANS_H
#define TRAMMEL_QUERY_FORMAT_TRACE_SPANS_H

#include "query/format/trace_json.h"

struct trace_spans;

/* What begins or ends. */
struct trace_mark {
	struct trace_place place;
	int64_t ns;
	uint32_t kind;        /* an end is that of the innermost of the same kind */
	const char *category; /* lives as long as the file is read */
	const char *name;     /* copied where it must be */
	record_node node;     /* that begins; 0: not known */
	uint32_t frame;
};

struct trace_spans *trace_spans_create(struct trace_json *json);
void trace_spans_destroy(struct trace_spans *spans);

void trace_spans_begin(struct trace_spans *spans, const struct trace_mark *mark);
void trace_spans_end(struct trace_spans *spans, const struct trace_mark *mark);
/* The number of an iteration, of what is innermost. */
void trace_spans_iterate(struct trace_spans *spans, struct trace_place place,
			 int64_t iteration);
/* The node of what is open, as far out as `depth` says (0: the innermost); UINT32_MAX:
 * there is no more. */
record_node trace_spans_open(struct trace_spans *spans, struct trace_place place,
			     size_t depth);
/* The end of the file: what is open has no end, and what ended began before all. */
void trace_spans_close(struct trace_spans *spans);

#endif
