/* Writing what the check of counts found. */
#ifndef TRAMMEL_ANNOTATE_CHECK_SHOW_H
#define TRAMMEL_ANNOTATE_CHECK_SHOW_H

#include "annotate/check.h"

/* Adds what was found as text (at most `limit` rows), or as one JSON object: see
 * man/trammel-report.1.md. */
void check_text(const struct check *check, const struct report_profile *profile,
		size_t limit, struct text *out);
void check_json(const struct check *check, const struct report_profile *profile,
		struct text *out);

#endif
