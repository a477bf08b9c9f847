/*
 * What one thread reads of the files: its groups, or its rows where nothing is put
 * together. Parts are merged in the order of their files, so that the result is that of
 * one thread. Only for the files of this folder.
 */
#ifndef TRAMMEL_QUERY_PART_H
#define TRAMMEL_QUERY_PART_H

#include "query/keys.h"
#include "query/operators.h"
#include "query/query.h"
#include "query/sink.h"

/* Run metadata of one profile. */
struct query_global {
	char *name;
	struct record_value value; /* kept by the part's keys */
	uint32_t properties;       /* enum record_property */
};

struct query_globals VECTOR(struct query_global);

/* A value of a record that is a row. */
struct query_cell {
	uint32_t attribute;
	struct record_value value;
};

struct query_raw_row {
	uint32_t key; /* what it has in the context tree */
	uint32_t cells;
	size_t first; /* in part.cells */
};

struct query_part {
	const struct query *query;
	struct query_keys keys;
	/* Groups, by number; their states are `stride` bytes each. */
	struct VECTOR(uint32_t) groups;   /* their keys */
	struct VECTOR(uint32_t) group_of; /* by key: number + 1, 0 is none */
	struct VECTOR(char) states;
	struct VECTOR(size_t) offsets; /* in the states of a group, by aggregate */
	size_t stride;
	/* By aggregate, in caliper queries: how many attributes were known when a record
	 * was there that had its attributes, + 1; 0: there was none. */
	struct VECTOR(size_t) known_at;
	size_t known; /* of those how many are not 0 */
	/* By group, in caliper queries: groups for the paths above it were made. */
	struct VECTOR(bool) included;
	/* States before those of the groups below were included, as `states`. */
	struct VECTOR(char) exclusive;
	char *totals; /* the states of all groups, where an operator needs that */
	/* Rows. */
	struct VECTOR(struct query_raw_row) rows;
	struct VECTOR(struct query_cell) cells;
	struct query_keys strings; /* keeps those of the cells */
	/* If not NULL, records go there, whole, instead of becoming rows. */
	const struct query_sink *sink;
	void *sinking;              /* what the sink's functions take */
	const struct text *written; /* where it writes to */
	/* If not NULL, is called when there are many rows, or much was written; it prints
	 * and forgets them. */
	void (*flush)(struct query_part *part);
	void *context;           /* of flush */
	struct trm_error *error; /* of flush: nothing more is taken in */
	struct VECTOR(struct query_globals) runs;
};

void query_part_init(struct query_part *part, const struct query *query);
void query_part_deinit(struct query_part *part);

/* The number of the group with this key, made if it is new. */
size_t query_part_group(struct query_part *part, uint32_t key);

static inline void *query_part_state(const struct query_part *part, size_t group,
				     size_t aggregate)
{
	return part->states.items + group * part->stride + part->offsets.items[aggregate];
}

/* The key with attribute = value at its place: nested attributes first, in the order in
 * which they come, then all others by their numbers. */
uint32_t query_part_key(struct query_part *part, uint32_t key, uint32_t attribute,
			struct record_value value);

/* The part of the key that is the path: its nested attributes. */
uint32_t query_part_path(const struct query_part *part, uint32_t key);

/* Makes groups for the paths above the key's path. */
void query_part_include(struct query_part *part, uint32_t key);

/* The state of a group before those below it were included; NULL: it had none. */
static inline const void *query_part_exclusive(const struct query_part *part,
					       size_t group, size_t aggregate)
{
	size_t at = group * part->stride + part->offsets.items[aggregate];

	if (!part->exclusive.count)
		return query_part_state(part, group, aggregate);
	return at < part->exclusive.count ? part->exclusive.items + at : NULL;
}

/* Puts what `other` has behind what `part` has. `other` must live as long as `part`. */
void query_part_merge(struct query_part *part, const struct query_part *other);

/* When all is merged: totals, and what inclusive operators get of groups below. */
void query_part_finish(struct query_part *part);

/* Whether the attribute is the one that a query calls so: `time` is also time.ns. */
bool query_is_name(const char *wanted, const char *attribute);

/* Whether the word of GROUP BY is a class of attributes; whether the attribute is what it
 * says, or in that class. */
bool query_is_class(const char *name);
bool query_is_key(const char *key, const struct query_attribute *attribute);

/* Whether the value passes the test. */
bool query_test_passes(const struct query_test *test, struct record_value value);

/* Reads a file into the part. `warnings` gets lines. */
struct trm_error *query_part_read(struct query_part *part, const char *path,
				  struct text *warnings);

#endif
