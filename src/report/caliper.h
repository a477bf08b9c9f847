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

/* The use of an attribute in a report. */
struct report_caliper_use {
	unsigned kind; /* enum use, in caliper.c */
	double ns;     /* nanoseconds in one of its unit */
};

/* Paths of Caliper's attributes; all-zero: no attribute is known yet. */
struct report_caliper {
	struct VECTOR(struct report_caliper_use) uses; /* by attribute */
	struct table nested; /* by node: the same path without attributes that are not
				nested, + 1 */
};

/* The region and numbers found in one record. */
struct report_caliper_taken {
	record_node node; /* the path of its nested attributes alone */
	/* Without the region; the image is the process's rank, 0 where there is one. */
	struct report_region_count row;
	bool inclusive; /* the time has that of the regions inside */
};

/* Reads the region and numbers of a record; returns false if it has no region. */
bool report_caliper_take(struct report_caliper *caliper, struct record_model *model,
			 record_node node, const struct record_pair *pairs, size_t count,
			 struct report_caliper_taken *ret_taken);

/* Adds that to the profile's regions, once the row has its image. */
void report_caliper_add(struct report_profile *profile, const struct record_model *model,
			const struct report_caliper_taken *taken);

void report_caliper_deinit(struct report_caliper *caliper);

#endif
