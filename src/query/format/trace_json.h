/*
 * The Trace Event Format, as Perfetto and chrome://tracing read it:
 *
 *     {"displayTimeUnit": "ns",
 *      "traceEvents": [{"ph": "X", "name": "solve", "cat": "region", "ts": 12.5,
 *                       "dur": 3, "pid": 0, "tid": 7, "sf": 2, "args": {...}}, ...],
 *      "otherData": {"global": "value", ...},
 *      "stackFrames": {"2": {"name": "main", "category": "callstack", "parent": 1}, ...},
 *      "samples": [{"name": "sampler", "weight": 1, "ts": 12.5, "sf": 2, ...}, ...]}
 *
 * Times are microseconds. Events come in any order. Here: X are spans whose begin and
 * end are known, B those that never end, i moments, C numbers, M names of rows. Members
 * that would be empty are left out, but for traceEvents.
 */
#ifndef TRAMMEL_QUERY_FORMAT_TRACE_JSON_H
#define TRAMMEL_QUERY_FORMAT_TRACE_JSON_H

#include "base/table.h"
#include "base/vector.h"
#include "record/record.h"

/* A row of the viewer: numbers of process and thread, of any kind. */
struct trace_place {
	int64_t process, thread;
};

struct trace_event {
	char phase;
	const char *name, *category; /* category: may be NULL */
	int64_t ns;
	int64_t duration_ns; /* of an X */
	struct trace_place place;
	uint32_t frame;   /* of trace_json_frame; 0: none */
	const char *args; /* JSON; NULL: none */
};

struct trace_sample {
	int64_t ns;
	struct trace_place place;
	uint64_t weight;
	uint32_t frame;
	int32_t cpu; /* -1: not known */
};

struct trace_row {
	struct trace_place place;
	char *name; /* of the thread, or NULL; of the process if `of_process` */
	bool of_process;
};

struct trace_json {
	struct text *out;
	bool pretty;
	bool any;                    /* an event has been written */
	struct record_model *frames; /* nodes are frames; also holds the globals */
	record_attribute frame;
	struct VECTOR(record_node) globals; /* children of the root */
	struct VECTOR(struct trace_sample) samples;
	struct VECTOR(struct trace_row) rows;
	struct table row_of; /* from a hash of the row to its number */
	struct text name;    /* scratch */
};

void trace_json_init(struct trace_json *json, struct text *out, bool pretty);
void trace_json_event(struct trace_json *json, const struct trace_event *event);
/* Finds or adds the frame with this name, called by frame `caller` (0: none). */
uint32_t trace_json_frame(struct trace_json *json, uint32_t caller,
			  struct record_value name);
/* Adds a sample; samples are written at the end. */
void trace_json_sample(struct trace_json *json, const struct trace_sample *sample);
/* Adds a global; the last value of a name is kept. */
void trace_json_global(struct trace_json *json, const char *name,
		       struct record_value value);
/* Names a row or, if `of_process`, all rows of the process. The first name is kept. */
void trace_json_name(struct trace_json *json, struct trace_place place, bool of_process,
		     const char *name);
/* Writes the rest and frees the contents. */
void trace_json_finish(struct trace_json *json);

/* The label of a value: "solve" for a string, else "level=3", "timestep=3" for
 * iterations. Valid until the next call. */
const char *trace_json_label(struct trace_json *json, const char *attribute,
			     struct record_value value);

#endif
