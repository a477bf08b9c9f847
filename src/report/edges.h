/* Edges: sums, and rows to be shown. */
#ifndef TRAMMEL_REPORT_EDGES_H
#define TRAMMEL_REPORT_EDGES_H

#include "report/order.h"
#include "report/profile.h"

/* Sorts the edges and sums duplicates, when there are many. */
void report_edges_add_up(struct report_profile *profile);

/* Does so, and finds those of each function: the last step of loading. */
void report_edges_finish(struct report_profile *profile);

/* Sums the edges of the selection: a part of report_profile_select. */
void report_edges_select(struct report_profile *profile);

/* Returns the edges of a function by from, to and kind, with the counts of all images
 * summed, and those that were never passed. The caller frees the array. */
struct report_edge *report_function_edges(const struct report_profile *profile,
					  const struct report_function *function,
					  size_t *ret_count);

/* Returns the edges of the selection that were passed (profile.passed_edges of them), by
 * count (REPORT_SORT_CALLS), or by name or module and then by count. The caller frees the
 * array. */
struct report_edge *report_profile_edges(const struct report_profile *profile,
					 enum report_sort sort);

#endif
