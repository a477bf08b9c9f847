/*
 * Aggregation operators: computations over the records of a group. Each is a row of a
 * table: how its state takes records, how states are merged, and the result.
 */
#ifndef TRAMMEL_QUERY_OPERATORS_H
#define TRAMMEL_QUERY_OPERATORS_H

#include "query/keys.h"
#include "query/pack.h"
#include "query/query.h"

enum query_number_use {
	QUERY_NUMBER_NONE,
	QUERY_NUMBER_OPTIONAL,
	QUERY_NUMBER_NEEDED,
	QUERY_NUMBER_PERCENT, /* needed, 0 to 100, and part of the result's name */
};

/* State shared by several operators. All-zero is a state without records. */
struct query_state_kind {
	size_t size; /* a multiple of 16 */
	/* Adds a record; `fields` are its values by number of the field. */
	void (*add)(void *state, const struct query_aggregate *aggregate,
		    const struct record_value *fields, struct query_keys *keys);
	void (*merge)(void *state, const struct query_aggregate *aggregate,
		      const void *other, struct query_keys *keys);
	void (*deinit)(void *state); /* NULL: nothing to free */
	/* Writes a state as bytes, and reads it into a state without records; NULL:
	 * copied as it is in memory. */
	void (*pack)(const void *state, struct query_pack *pack);
	void (*unpack)(void *state, struct query_unpack *unpack);
};

/* Inputs of a result beside the state of its group. */
struct query_outcome {
	const struct query_aggregate *aggregate;
	const void *total;       /* the merged state of all groups */
	struct query_keys *keys; /* keeps strings */
	bool rounded; /* set: the result is an integer that does not fit 64 bits */
};

/* A partial value of an operator's result, which is aggregated instead of it when records
 * are aggregated again. Caliper has them as hidden attributes, "avg.sum#x". */
struct query_partial {
	const char *name;      /* the part before "#"; NULL: the end of a list */
	int field;             /* the attribute of the operator that follows the "#" */
	bool alike;            /* has the attribute's type */
	enum record_type type; /* else has this one */
	struct record_value (*value)(const void *state);
	void (*add)(void *state, struct record_value number);
};

enum query_operator_flags {
	QUERY_INCLUSIVE = 1, /* includes the groups below in the path */
	QUERY_OF_TOTAL = 2,  /* outcome.total is needed */
	QUERY_COUNTED = 4,   /* `again` needs a "count#X" with it */
	QUERY_REAL = 8,      /* Caliper's result is a double, even if it is integral */
	QUERY_ALIKE = 16,    /* the result has the unit of the attribute */
	QUERY_RESULT_FIRST = 32, /* its partials follow its result */
};

struct query_operator {
	const char *name;
	const char *result; /* the name of the result, or its part before "#" */
	int fields;         /* number of attributes */
	enum query_number_use number;
	const char *again; /* the operator's attribute in records that have its result, or
			      NULL */
	const struct query_state_kind *kind;
	struct record_value (*value)(const void *state, struct query_outcome *outcome);
	unsigned flags;                       /* enum query_operator_flags */
	const struct query_partial *partials; /* or NULL */
};

/* The operator with this name, in any case; NULL if there is none. */
const struct query_operator *query_operator_find(const char *name);
/* All operators, up to one without a name. */
extern const struct query_operator query_operators[];

#endif
