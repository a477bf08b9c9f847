/* When things happened, for the page: intervals, phases of threads, and what threads and
 * phases did in each interval. */
#ifndef TRAMMEL_PAGE_TIMELINE_H
#define TRAMMEL_PAGE_TIMELINE_H

#include "base/error.h"
#include "page/parts.h"
#include "report/profile.h"

/* Adds the members "intervals" and "timeline" of a profile; events of traces are read
 * from its file at `path`. Errors: those of reading it. */
struct trm_error *page_add_timeline(const struct report_profile *profile,
				    const char *path, struct page_out *out);

#endif
