/* Output of the findings of the check of counts. */
#ifndef TRAMMEL_ANNOTATE_CHECK_SHOW_H
#define TRAMMEL_ANNOTATE_CHECK_SHOW_H

#include "annotate/check.h"

/* Adds the findings as text (at most `limit` rows), or as one JSON object: see
 * man/trammel-report.1.md. */
void check_text(const struct check *check, const struct report_profile *profile,
		size_t limit, struct text *out);
void check_json(const struct check *check, const struct report_profile *profile,
		struct text *out);

#endif
