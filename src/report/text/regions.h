/* The trees of regions and of calls in contexts, as text. */
#ifndef TRAMMEL_REPORT_TEXT_REGIONS_H
#define TRAMMEL_REPORT_TEXT_REGIONS_H

#include "base/text.h"
#include "report/profile.h"
#include "report/text/grid.h"

#include <stddef.h>

/* Adds the tree of regions: at most `limit` rows. */
void report_add_regions(struct text *out, const struct report_profile *profile,
			size_t limit, const struct text_style *style);

/* Adds the table of calls by context. */
void report_add_graph(struct text *out, const struct report_profile *profile,
		      size_t limit, const struct text_style *style);

/* Adds the frames of samples by the first event, the calls of each below it. */
void report_add_stacks(struct text *out, const struct report_profile *profile,
		       size_t limit, const struct text_style *style);

#endif
