/*
 * A histogram of exact numbers.
 */
#ifndef TRAMMEL_QUERY_TALLY_H
#define TRAMMEL_QUERY_TALLY_H

#include "base/table.h"
#include "base/vector.h"
#include "query/value.h"

struct query_tally_item {
	struct record_value number;
	uint64_t count;
};

/* Numbers with their counts. All-zero is empty. */
struct query_tally {
	/* From bits to items: for non-negative integers, negative ones, doubles. */
	struct table places[3];
	struct VECTOR(struct query_tally_item) items;
};

void query_tally_add(struct query_tally *tally, struct record_value number,
		     uint64_t count);
void query_tally_merge(struct query_tally *tally, const struct query_tally *other);
void query_tally_deinit(struct query_tally *tally);

/* The smallest number that is not below `percent` percent of all (nearest rank). */
struct record_value query_tally_percentile(const struct query_tally *tally,
					   double percent);
/* Adds "LOW:COUNT LOW:COUNT ...", sorted. */
void query_tally_text(const struct query_tally *tally, struct text *out);

/* The bucket of a number: the number in it nearest to 0. Buckets are the powers of two
 * or, with a width above 0, multiples of it, named by their lower ends. */
struct record_value query_bucket(struct record_value number, struct record_value width);

#endif
