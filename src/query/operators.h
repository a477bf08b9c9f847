/*
 * What a query computes of the records of a group. Each operator is a row of a table: how
 * its state takes records in, how states are put together, and what comes out.
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

/* What the states of some operators have in common. All-zero is a state of no records. */
struct query_state_kind {
	size_t size; /* a multiple of 16 */
	/* `fields` are the values of the record by number of the field. */
	void (*add)(void *state, const struct query_aggregate *aggregate,
		    const struct record_value *fields, struct query_keys *keys);
	void (*merge)(void *state, const struct query_aggregate *aggregate,
		      const void *other, struct query_keys *keys);
	void (*deinit)(void *state); /* NULL: nothing to free */
	/* As bytes, and back into a state of no records; NULL: as it lies in memory. */
	void (*pack)(const void *state, struct query_pack *pack);
	void (*unpack)(void *state, struct query_unpack *unpack);
};

/* What a result may need besides the state of its group. */
struct query_outcome {
	const struct query_aggregate *aggregate;
	const void *total;       /* the state of all groups together */
	struct query_keys *keys; /* that keep strings */
	bool rounded; /* set: the value is an integer that 64 bits do not hold */
};

/* A number that an operator's result is made of. Where records are summed up again, it is
 * what counts. Caliper has them as hidden attributes, "avg.sum#x". */
struct query_partial {
	const char *name;      /* what comes before "#"; NULL: the end of a list */
	int field;             /* the attribute of the operator that comes behind it */
	bool alike;            /* it has the attribute's type, */
	enum record_type type; /* or else this one */
	struct record_value (*value)(const void *state);
	void (*add)(void *state, struct record_value number);
};

enum query_operator_flags {
	QUERY_INCLUSIVE = 1,     /* of the groups below in the path, too */
	QUERY_OF_TOTAL = 2,      /* outcome.total is needed */
	QUERY_COUNTED = 4,       /* `again` needs a "count#X" beside it */
	QUERY_REAL = 8,          /* Caliper has a double, even if it is a whole number */
	QUERY_ALIKE = 16,        /* what comes out has the unit of what goes in */
	QUERY_RESULT_FIRST = 32, /* its partials are behind its result */
};

struct query_operator {
	const char *name;
	const char *result; /* the name of the result, or what comes before "#" in it */
	int fields;         /* attributes that it takes */
	enum query_number_use number;
	const char *again; /* what records that have its result call that, or NULL */
	const struct query_state_kind *kind;
	struct record_value (*value)(const void *state, struct query_outcome *outcome);
	unsigned flags;                       /* enum query_operator_flags */
	const struct query_partial *partials; /* or NULL */
};

/* The operator of this name, in any case; NULL if there is none. */
const struct query_operator *query_operator_find(const char *name);
/* All, up to one without a name. */
extern const struct query_operator query_operators[];

#endif
