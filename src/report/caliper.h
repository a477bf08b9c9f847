/*
 * Regions of profiles that LLNL's Caliper wrote, as far as reports show them: the time
 * that each record says, and how often its region ended.
 */
#ifndef TRAMMEL_REPORT_CALIPER_H
#define TRAMMEL_REPORT_CALIPER_H

#include "base/table.h"
#include "base/vector.h"
#include "record/record.h"
#include "report/profile.h"

/* What an attribute is good for. */
struct report_caliper_use {
	unsigned kind; /* enum use, in caliper.c */
	double ns;     /* nanoseconds in one of its unit */
};

/* All-zero is one of no attributes. */
struct report_caliper {
	struct VECTOR(struct report_caliper_use) uses; /* by attribute */
	struct table nested; /* by node: the same path without what is not nested, + 1 */
};

/* What a record says of a region. */
struct report_caliper_taken {
	record_node node; /* the path of its nested attributes alone */
	/* Without the region; the image is the process's rank, 0 where there is one. */
	struct report_region_count row;
	bool inclusive; /* the time has that of the regions inside */
};

/* Whether the record says something of a region. */
bool report_caliper_take(struct report_caliper *caliper, struct record_model *model,
			 record_node node, const struct record_pair *pairs, size_t count,
			 struct report_caliper_taken *ret_taken);

/* Adds that to the profile's regions, once the row has its image. */
void report_caliper_add(struct report_profile *profile, const struct record_model *model,
			const struct report_caliper_taken *taken);

void report_caliper_deinit(struct report_caliper *caliper);

#endif
