/* Calls by pointers, for compilers: those that call always the same are worth a compare.
 */
#include "derive/pointers.h"

#include "base/array.h"
#include "report/arcs.h"

#include <stdlib.h>
#include <string.h>

static bool is_inside(const struct report_profile *profile, uint32_t module,
		      const struct report_arc *arc)
{
	return arc->site && arc->caller != REPORT_UNKNOWN &&
	       !strcmp(arc->kind, "indirect") && arc->caller_module == module &&
	       profile->functions.items[arc->function].module == module;
}

COMPARE_BY_TWO(by_site, struct report_arc, site, function);

struct report_arc *pbo_pointer_calls(const struct report_profile *profile,
				     const struct report_module *module,
				     size_t *ret_count)
{
	uint32_t number = (uint32_t)(module - profile->modules.items);
	size_t count, kept = 0;
	struct report_arc *arcs =
		report_profile_arcs(profile, &(const struct report_arc_filter){0},
				    REPORT_SORT_CALLS, true, &count);

	for (size_t i = 0; i < count; i++)
		if (is_inside(profile, number, &arcs[i]))
			arcs[kept++] = arcs[i];
	if (kept)
		qsort(arcs, kept, sizeof(*arcs), by_site);
	*ret_count = kept;
	return arcs;
}
