/*
 * The program's own regions in a profile: see docs/profile.md, "region records".
 */
#ifndef TRAMMEL_REPORT_REGIONS_H
#define TRAMMEL_REPORT_REGIONS_H

#include "report/profile.h"

/* Adds what a record says of the path that its node is. `count->region` is filled in;
 * `by_node` is for the loading of one profile. */
void report_regions_add(struct report_profile *profile, const struct record_model *model,
			struct table *by_node, record_node node,
			const struct report_region_count *count);

/* Adds up what is selected: a part of report_profile_select. */
void report_regions_select(struct report_profile *profile);

/* The regions that were there in what is selected, each before what is in it, the longest
 * first. The caller frees. */
const struct report_region **report_profile_regions(const struct report_profile *profile,
						    size_t *ret_count);

#endif
