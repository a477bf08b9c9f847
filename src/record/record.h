/*
 * The record model: attributes, the context tree, and records, which are a node of the
 * tree plus immediate attribute:value pairs. Profiles (.trm files, and the files of
 * LLNL's Caliper) are streams of records.
 */
#ifndef TRAMMEL_RECORD_RECORD_H
#define TRAMMEL_RECORD_RECORD_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_model;

enum record_type {
	RECORD_INT,
	RECORD_UINT,
	RECORD_DOUBLE,
	RECORD_STRING,
	RECORD_BOOL,
	RECORD_ADDRESS, /* a uint that is shown as 0x... */
	RECORD_TYPE,    /* a type name: a uint with the value of an enum record_type */
	RECORD_BLOB,    /* bytes of the user's */
	RECORD_TYPE_COUNT
};

enum record_property {
	RECORD_NESTED = 1,   /* begin/end of it nest with others */
	RECORD_AS_VALUE = 2, /* stored in the record, not in the tree */
	RECORD_SCOPE_PROCESS = 4,
	RECORD_SCOPE_THREAD = 8,
	RECORD_SCOPE_TASK = 16,
	RECORD_AGGREGATABLE = 32, /* sums of it make sense */
	RECORD_HIDDEN = 64,
	RECORD_GLOBAL = 128, /* run metadata */
	RECORD_SKIP_EVENTS = 256,
	RECORD_UNALIGNED = 512, /* nests with nothing, not even with itself */
	/* Level of detail of the contexts, 0 (the finest) to 7, times
	 * RECORD_LEVEL_ONE. */
	RECORD_LEVEL_ONE = 1 << 16,
	RECORD_LEVEL_MASK = 7 << 16,
};

struct record_value {
	enum record_type type;
	size_t size; /* STRING, BLOB: bytes at `bytes`; else 0 */
	union {
		int64_t i;  /* INT */
		uint64_t u; /* UINT, ADDRESS, TYPE, BOOL (0 or 1) */
		double d;
		/* STRING: also 0-terminated when it comes from a reader. */
		const char *bytes;
	};
};

typedef uint32_t record_attribute; /* id of an attribute in one model */
typedef uint32_t record_node;      /* id of a node in one model; 0 is the root */

struct record_pair {
	record_attribute attribute;
	struct record_value value;
};

/* A row of a table of attributes to make: see record/known.h. */
struct record_attribute_row {
	const char *name;
	record_attribute *ret_id;
};

static inline struct record_value record_int(int64_t i)
{
	return (struct record_value){.type = RECORD_INT, .i = i};
}

static inline struct record_value record_uint(uint64_t u)
{
	return (struct record_value){.type = RECORD_UINT, .u = u};
}
static inline struct record_value record_address(uint64_t u)
{
	return (struct record_value){.type = RECORD_ADDRESS, .u = u};
}

/* Callbacks of a reader. Pairs and strings are valid during the call only. */
struct trm_visitor {
	void *context;
	void (*record)(void *context, record_node node, const struct record_pair *pairs,
		       size_t count);
	void (*global)(void *context, record_attribute attribute,
		       struct record_value value);
	/* Called at the head of each run: concatenated files have several. May be NULL,
	 * like the others. */
	void (*file)(void *context);
	/* Called instead of `record` unless NULL; also passes the paths of the record
	 * in the file, given by their innermost nodes. `node` is their concatenation,
	 * each below the one before. */
	void (*entries)(void *context, record_node node, const record_node *paths,
			size_t path_count, const struct record_pair *pairs, size_t count);
};

#endif
