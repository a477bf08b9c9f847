/* What a further part of a run adds to the sums of its functions. */
#ifndef TRAMMEL_STORE_DELTA_H
#define TRAMMEL_STORE_DELTA_H

#include "base/table.h"
#include "base/vector.h"
#include "store/sql/sql.h"

/* Of a function's event. */
struct delta {
	int64_t event, function, value;
};

/* All-zero is empty. */
struct deltas {
	struct VECTOR(struct delta) items;
	struct table by_pair; /* index in `items` + 1, by a hash of event and function */
	bool useless;         /* some do not just add up: sums must be made anew */
};

/* Adds a number. */
void deltas_add(struct deltas *deltas, int64_t event, int64_t function, int64_t value);

/* Changes the sums of a run in the database. */
struct trm_error *deltas_apply(const struct deltas *deltas, struct sql *sql, int64_t run);

void deltas_deinit(struct deltas *deltas);

#endif
