/*
 * Regions of profiles that LLNL's Caliper wrote, as far as reports show them: the time
 * that each record says, and how often its region ended.
 */
#ifndef TRAMMEL_REPORT_CALIPER_H
#define TRAMMEL_REPORT_CALIPER_H

#include "base/table.h"
#include "base/vector.h"
#include "record/record.h"

/* What an attribute is good for. */
struct report_caliper_use {
	uint8_t kind; /* enum, in caliper.c */
	double ns;    /* nanoseconds in one of its unit */
};

/* All-zero is one of no attributes. */
struct report_caliper {
	struct VECTOR(struct report_caliper_use) uses; /* by attribute */
	struct table nested; /* by node: the same path without what is not nested, + 1 */
};

struct report_caliper_row {
	record_node node; /* nested attributes alone */
	uint64_t count;   /* times that the region ended */
	uint64_t ns;      /* spent in it and nothing further in */
	uint64_t rank;    /* of the process, 0 where there is one */
};

/* Whether the record is of a region and says something of this; `ret_row`. */
bool report_caliper_take(struct report_caliper *caliper, struct record_model *model,
			 record_node node, const struct record_pair *pairs, size_t count,
			 struct report_caliper_row *ret_row);

void report_caliper_deinit(struct report_caliper *caliper);

#endif
