/*
 * The program's own regions in a profile, and calls of functions in their contexts: see
 * docs/profile.md, "region records" and "context records".
 */
#ifndef TRAMMEL_REPORT_REGIONS_H
#define TRAMMEL_REPORT_REGIONS_H

#include "report/profile.h"

/* Adds the numbers of a record to the region of its node; all fields of `count` but
 * its region are filled in. Returns the region, valid until the next is added; NULL if
 * the path has no region. */
struct report_region *report_tree_add(struct report_profile *profile,
				      struct report_tree *tree,
				      const struct record_model *model, record_node node,
				      const struct report_region_count *count);

/* Looks up what a node of the file was found to be, while that is loaded; false: it is
 * new. The index can be REPORT_NONE. */
bool report_tree_known(const struct report_tree *tree, record_node node,
		       uint32_t *ret_index);

/* Notes what a node of the file is: an index into the tree's nodes, or REPORT_NONE. */
void report_tree_know(struct report_tree *tree, record_node node, uint32_t index);

/* Sums the regions of the selection: a part of report_profile_select. */
void report_trees_select(struct report_profile *profile);

/* Makes arcs from the calls of one function by another, summed over their contexts. */
void report_graph_finish(struct report_profile *profile);

/* Returns the regions of the selection, each before its inner regions, the longest
 * first. The caller frees the array. */
const struct report_region **report_tree_rows(const struct report_tree *tree,
					      size_t *ret_count);

/* Keeps at most `limit` rows, the longest ones, in their present order, and the
 * regions around them. Returns the number of rows kept. */
size_t report_tree_heaviest(const struct report_region **rows, size_t count,
			    size_t limit);

#endif
