/* The attributes of a profile that reports know, and the decoding of records by them;
 * docs/profile.md defines them. */
#ifndef TRAMMEL_REPORT_FIELDS_H
#define TRAMMEL_REPORT_FIELDS_H

#include "base/vector.h"
#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field {
	FIELD_IMAGE,
	FIELD_RUN,
	FIELD_PROCESS,
	FIELD_PARENT,
	FIELD_PROGRAM,
	FIELD_THREADS,
	FIELD_STATE,
	FIELD_REASON,
	FIELD_MODULE,
	FIELD_PATH,
	FIELD_BUILD_ID,
	FIELD_KNOWN,
	FIELD_INSTRUMENTED,
	FIELD_FUNCTION,
	FIELD_OFFSET,
	FIELD_CALLS,
	FIELD_RETURNED,
	FIELD_TAIL_CALLS,
	FIELD_SKIP,
	FIELD_PART,
	FIELD_PART_REASON,
	FIELD_BLOCK,
	FIELD_BLOCK_SIZE,
	FIELD_BLOCK_INSTRUCTIONS,
	FIELD_BLOCK_COUNT,
	FIELD_CALLER_PATH,
	FIELD_CALLER,
	FIELD_CALLER_OFFSET,
	FIELD_ARC_SITE,
	FIELD_ARC_KIND,
	FIELD_ARC_COUNT,
	FIELD_INTERVAL,
	FIELD_INTERVAL_START,
	FIELD_INTERVAL_END,
	FIELD_THREAD,
	FIELD_STAYED,
	FIELD_EDGE,
	FIELD_EDGE_FROM,
	FIELD_EDGE_TO,
	FIELD_EDGE_KIND,
	FIELD_FAULT,
	FIELD_PATH_IN,
	FIELD_PATH_NUMBER,
	FIELD_PATH_TOTAL,
	FIELD_PATH_BLOCKS,
	FIELD_PATH_END,
	FIELD_PATH_INSTRUCTIONS,
	FIELD_PATH_COUNT,
	FIELD_PATH_STEPS,
	FIELD_PATH_REASON,
	FIELD_TIME,
	FIELD_GRAPH_CALLS,
	FIELD_GRAPH_NS,
	FIELD_PROBE,
	FIELD_TOOL,
	FIELD_LOADS,
	FIELD_STORES,
	FIELD_BYTES_LOADED,
	FIELD_BYTES_STORED,
	FIELD_EVENT,
	FIELD_EVENT_SAMPLES,
	FIELD_SAMPLES,
	FIELD_SAMPLE_EVENTS,
	FIELD_SAMPLE_ADDRESS,
	FIELD_COUNT
};

#define BIT(field) (1ull << (field))

_Static_assert(FIELD_COUNT <= 64, "a bit of a word for each");

/* One decoded record: its own pairs, and the pairs of its path's nodes. */
struct row {
	uint64_t own;     /* BIT() of each field that its own pairs have */
	uint64_t present; /* same bits, including fields read from the path */
	const struct record_value *values[FIELD_COUNT];
	/* The node with the function's name, if nodes above have all that says which
	 * module it is of; else 0. */
	record_node function;
};

/* Decodes records into rows. All-zero, except for `model`, is a valid start. */
struct field_reader {
	const struct record_model *model;
	struct VECTOR(
		uint8_t) field_of; /* by attribute; FIELD_COUNT: not a known field */
	struct row row;
	/* The source of the fields above: */
	const struct record_pair *pairs;
	struct VECTOR(record_attribute) attributes; /* of the pairs */
	record_node node;
	bool whole; /* the path, too */
	struct record_value path[FIELD_COUNT];
};

/* A record's own pairs; valid until the next one is read, or they change. Records like
 * the last one cost little: same node, same place of the pairs, same attributes. */
const struct row *fields_read(struct field_reader *reader, record_node node,
			      const struct record_pair *pairs, size_t count);
/* Adds the fields of the record's path; if a field occurs several times, the innermost
 * node counts. */
void fields_read_path(struct field_reader *reader);

/* Finds the field of an attribute; only call it if the attribute is not in `field_of`
 * yet. */
enum field fields_find(struct field_reader *reader, record_attribute attribute);
void field_reader_deinit(struct field_reader *reader);

static inline enum field field_of(struct field_reader *reader, record_attribute attribute)
{
	return attribute < reader->field_of.count
		       ? (enum field)reader->field_of.items[attribute]
		       : fields_find(reader, attribute);
}

/* Read a field of a row; 0 and "" if the row does not have it. */
static inline uint64_t number_of(const struct row *row, enum field field)
{
	return row->present & BIT(field) ? row->values[field]->u : 0;
}

static inline const char *string_of(const struct row *row, enum field field)
{
	return row->present & BIT(field) ? row->values[field]->bytes : "";
}

#endif
