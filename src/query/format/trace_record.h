/*
 * Interpretation of a trace record, whichever program wrote it: time, thread and event.
 * Attributes are looked up in the record and in the context tree; the innermost wins.
 */
#ifndef TRAMMEL_QUERY_FORMAT_TRACE_RECORD_H
#define TRAMMEL_QUERY_FORMAT_TRACE_RECORD_H

#include "query/format/trace_json.h"
#include "query/query.h"

/* Attributes with a special meaning; trace_record.c has their names. */
enum trace_field {
	TRACE_CUDA_KIND, /* activity of a GPU; four for each maker, in this order */
	TRACE_CUDA_START,
	TRACE_CUDA_DURATION,
	TRACE_CUDA_NAME,
	TRACE_ROCM_KIND,
	TRACE_ROCM_START,
	TRACE_ROCM_DURATION,
	TRACE_ROCM_NAME,
	TRACE_CUDA_TIME,
	TRACE_ROCM_TIME,
	TRACE_TIME_NS,
	TRACE_TIME,
	TRACE_BLOCK_BEGIN, /* regions on a GPU */
	TRACE_BLOCK_END,
	TRACE_BLOCK_TIME,
	TRACE_BLOCK,
	TRACE_BLOCK_REGION,
	TRACE_UMPIRE_NAME, /* allocations of Umpire */
	TRACE_UMPIRE_SIZE,
	TRACE_SAMPLED_FUNCTION,
	TRACE_SAMPLED_PC,
	TRACE_SAMPLES,
	TRACE_CPU,
	TRACE_SYNC,
	TRACE_EVENT, /* "begin", "end", "set", "move" */
	TRACE_IMAGE,
	TRACE_PROCESS, /* with the image: a process record */
	TRACE_PROCESS_BEGIN,
	TRACE_PROGRAM,
	TRACE_FIELD_COUNT,
	TRACE_NO_FIELD = TRACE_FIELD_COUNT,
};

enum trace_happening { TRACE_NOTHING, TRACE_BEGIN, TRACE_END, TRACE_SET };

/* A number that is shown as a member of a group. */
struct trace_counter {
	char *group, *name;
	bool present;
	double value;
};

/* The meaning of an attribute, in one file. */
struct trace_bound {
	enum trace_field field;
	int process, thread; /* priority of this attribute as the number, 0 first; -1: it
				is not one */
	int counter;         /* item of counters, or -1 */
	enum trace_happening happening;
	bool frame; /* a function of a call path */
	/* The subject of an event attribute, or its own name; lives as long as the
	 * reader. */
	const char *subject;
	uint32_t kind; /* a number of the subject */
};

struct trace_place_known {
	int priority; /* -1: not known */
	const char *attribute;
	int64_t number;
};

struct trace_record {
	record_node node;
	uint64_t present; /* a bit for each enum trace_field */
	struct record_value values[TRACE_FIELD_COUNT];
	struct trace_place_known process, thread;
	bool timed;
	int64_t ns;
	uint32_t frame;
	/* The kind of event; TRACE_EVENT has another word for it. */
	enum trace_happening happening;
	const struct trace_bound *subject;
	struct record_value value;
	/* The attribute set, with TRACE_EVENT "set". */
	const struct trace_bound *set;
	struct record_value set_value;
};

struct trace_names VECTOR(char *);

struct trace_reader {
	struct trace_json *json; /* receives frames */
	const struct record_model *model;
	struct string_table kinds;
	/* Attributes that are numbers of processes and threads. */
	struct trace_names processes, threads;
	struct VECTOR(struct trace_counter) counters;
	struct VECTOR(struct trace_bound) attributes; /* by number in the model */
	struct VECTOR(struct trace_node {
		bool wanted;    /* it or a node above is of interest */
		uint32_t frame; /* of the nearest frame at it or above */
	}) nodes;
	struct trace_record record;
};

void trace_reader_init(struct trace_reader *reader, const struct query *query,
		       struct trace_json *json);
void trace_reader_deinit(struct trace_reader *reader);
void trace_reader_use(struct trace_reader *reader, const struct record_model *model);
/* Interprets a record; valid until the next call, and its values as long as the pairs. */
const struct trace_record *trace_reader_read(struct trace_reader *reader,
					     record_node node,
					     const struct record_pair *pairs,
					     size_t count);

/* The meaning of the attribute of a node. */
const struct trace_bound *trace_reader_bound(const struct trace_reader *reader,
					     record_node node);

static inline bool trace_has(const struct trace_record *record, enum trace_field field)
{
	return record->present >> field & 1;
}

/* The value as an integer; 0 if it is not a number. */
int64_t trace_whole(struct record_value value);

#endif
