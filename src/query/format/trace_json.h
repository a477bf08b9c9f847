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

/* A row of the viewer: process and thread, numbers of any kind. */
struct trace_place {
	int64_t process, thread;
};

struct trace_event {
	char phase;
	const char *name, *category; /* category: NULL is none */
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
	char *name; /* of the thread, or NULL; of the process where `of_process` */
	bool of_process;
};

struct trace_json {
	struct text *out;
	bool pretty;
	bool any;                    /* an event was written */
	struct record_model *frames; /* node: a frame; what the globals are, too */
	record_attribute frame;
	struct VECTOR(record_node) globals; /* children of the root */
	struct VECTOR(struct trace_sample) samples;
	struct VECTOR(struct trace_row) rows;
	struct table row_of; /* from a hash of the row to its number */
	struct text name;    /* scratch */
};

void trace_json_init(struct trace_json *json, struct text *out, bool pretty);
void trace_json_event(struct trace_json *json, const struct trace_event *event);
/* The frame of this name that was called by another one (0: by none). */
uint32_t trace_json_frame(struct trace_json *json, uint32_t caller,
			  struct record_value name);
/* Samples are written at the end. */
void trace_json_sample(struct trace_json *json, const struct trace_sample *sample);
/* The last value of a name counts. */
void trace_json_global(struct trace_json *json, const char *name,
		       struct record_value value);
/* Gives a row its name, or, if `of_process`, all rows of the process theirs. The first
 * one stays. */
void trace_json_name(struct trace_json *json, struct trace_place place, bool of_process,
		     const char *name);
/* Writes what is left, and frees all. */
void trace_json_finish(struct trace_json *json);

/* How values are shown: "solve" of a string, else "level=3", "timestep=3" of iterations.
 * Valid until the next call. */
const char *trace_json_label(struct trace_json *json, const char *attribute,
			     struct record_value value);

#endif
