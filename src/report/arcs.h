/* Arcs: calls of functions by place. */
#ifndef TRAMMEL_REPORT_ARCS_H
#define TRAMMEL_REPORT_ARCS_H

#include "report/order.h"
#include "report/profile.h"

/* Selects arcs by globs for the names of the callee and of the caller; NULL: all. */
struct report_arc_filter {
	const char *callers_of, *callees_of; /* globs */
};

/* Sorts the arcs and sums duplicates: the last step of loading, and whenever there are
 * many. */
void report_arcs_finish(struct report_profile *profile);

/* Returns the arcs of the selection, with the counts of all images summed; their
 * `image` is meaningless. An arc is selected by the callee's module. Without `sites`,
 * all calls of one function by another are one arc. `sort`: by calls, by callee's
 * name, or by callee's module. The caller frees the array. */
struct report_arc *report_profile_arcs(const struct report_profile *profile,
				       const struct report_arc_filter *filter,
				       enum report_sort sort, bool sites,
				       size_t *ret_count);

/* Returns the name of an arc's caller, or the text that stands for an unknown one. */
const char *report_arc_caller(const struct report_profile *profile,
			      const struct report_arc *arc);

#endif
