/*
 * The program's own regions in a profile, and calls of functions in their contexts: see
 * docs/profile.md, "region records" and "context records".
 */
#ifndef TRAMMEL_REPORT_REGIONS_H
#define TRAMMEL_REPORT_REGIONS_H

#include "report/profile.h"

/* Adds what a record says of the path that its node is; all of `count` but its region is
 * filled in. The region is valid until the next is added; NULL: the path is none. */
struct report_region *report_tree_add(struct report_profile *profile,
				      struct report_tree *tree,
				      const struct record_model *model, record_node node,
				      const struct report_region_count *count);

/* Adds up what is selected: a part of report_profile_select. */
void report_trees_select(struct report_profile *profile);

/* The calls of one function by another, in whatever context, are arcs. */
void report_graph_finish(struct report_profile *profile);

/* The regions that were there in what is selected, each before what is in it, the longest
 * first. The caller frees. */
const struct report_region **report_tree_rows(const struct report_tree *tree,
					      size_t *ret_count);

/* Leaves at most `limit` rows, those that took longest, in the order that they are in;
 * returns how many. What is around a row stays with it. */
size_t report_tree_heaviest(const struct report_region **rows, size_t count,
			    size_t limit);

#endif
