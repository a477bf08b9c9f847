/* Differences of profiles as text and as JSON. */
#ifndef TRAMMEL_REPORT_DIFF_SHOW_H
#define TRAMMEL_REPORT_DIFF_SHOW_H

#include "base/text.h"
#include "report/diff/diff.h"

/* Adds the differences as text: see man/trammel-diff.1.md. */
void report_diff_text(const struct diff *diff, const struct diff_options *options,
		      struct text *out);

/* Adds the differences as one JSON object: see man/trammel-diff.1.md. */
void report_diff_json(const struct diff *diff, const struct diff_options *options,
		      struct text *out);

#endif
