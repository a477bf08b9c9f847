/*
 * Data that one thread reads from the files: its groups, or its rows if nothing is
 * aggregated. Parts are merged in the order of their files, so that the result does not
 * depend on threads. Only for the files of this folder.
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

/* A value in a row. */
struct query_cell {
	uint32_t attribute;
	struct record_value value;
};

struct query_raw_row {
	uint32_t key; /* its attributes in the context tree */
	uint32_t cells;
	size_t first; /* in part.cells */
};

struct query_part {
	const struct query *query;
	struct query_keys keys;
	/* Groups, by number, with states of `stride` bytes each: */
	struct VECTOR(uint32_t) groups;   /* their keys */
	struct VECTOR(uint32_t) group_of; /* by key: number + 1, 0 is none */
	struct VECTOR(char) states;
	struct VECTOR(size_t) offsets; /* in the states of a group, by aggregate */
	size_t stride;
	/* By aggregate, in caliper queries: number of attributes known at the first
	 * record that had its attributes, + 1; 0: no record had them. */
	struct VECTOR(size_t) known_at;
	size_t known; /* number of items of known_at that are not 0 */
	/* By group, in caliper queries: groups were made for the paths above it. */
	struct VECTOR(bool) included;
	/* States without the groups below, as `states`. */
	struct VECTOR(char) exclusive;
	char *totals; /* the merged states of all groups, if an operator needs them */
	/* Rows: */
	struct VECTOR(struct query_raw_row) rows;
	struct VECTOR(struct query_cell) cells;
	struct query_keys strings; /* keeps the strings of cells */
	/* Receives whole records instead of their becoming rows, if not NULL. */
	const struct query_sink *sink;
	void *sinking;              /* the context of the sink's functions */
	const struct text *written; /* the output of the sink */
	/* If not NULL, called when there are many rows or much output; it prints and
	 * drops them. */
	void (*flush)(struct query_part *part);
	void *context;           /* of flush */
	struct trm_error *error; /* of flush: no more records are taken */
	struct VECTOR(struct query_globals) runs;
};

void query_part_init(struct query_part *part, const struct query *query);
void query_part_deinit(struct query_part *part);

/* Finds or adds the group with this key; returns its number. */
size_t query_part_group(struct query_part *part, uint32_t key);

static inline void *query_part_state(const struct query_part *part, size_t group,
				     size_t aggregate)
{
	return part->states.items + group * part->stride + part->offsets.items[aggregate];
}

/* Extends a key by attribute = value in canonical order: nested attributes first, in
 * order of appearance, then all others by number. */
uint32_t query_part_key(struct query_part *part, uint32_t key, uint32_t attribute,
			struct record_value value);

/* The prefix of a key that is the path: its nested attributes. */
uint32_t query_part_path(const struct query_part *part, uint32_t key);

/* Adds groups for the paths above the key's path. */
void query_part_include(struct query_part *part, uint32_t key);

/* The state of a group without the groups below it; NULL if it had none. */
static inline const void *query_part_exclusive(const struct query_part *part,
					       size_t group, size_t aggregate)
{
	size_t at = group * part->stride + part->offsets.items[aggregate];

	if (!part->exclusive.count)
		return query_part_state(part, group, aggregate);
	return at < part->exclusive.count ? part->exclusive.items + at : NULL;
}

/* Merges `other` behind the contents of `part`. `other` must live as long as `part`. */
void query_part_merge(struct query_part *part, const struct query_part *other);

/* Finishes the merged part: totals, and inclusive states. */
void query_part_finish(struct query_part *part);

#endif
