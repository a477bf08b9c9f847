/* Differences of records, as text and as JSON. */
#ifndef TRAMMEL_REPORT_DIFF_RECORDS_SHOW_H
#define TRAMMEL_REPORT_DIFF_RECORDS_SHOW_H

#include "report/diff/records.h"

/* Adds the differences as text, or as one JSON object: see man/trammel-diff.1.md. */
void record_diff_text(const struct record_diff *diff, const struct diff_options *options,
		      struct text *out);
void record_diff_json(const struct record_diff *diff, const struct diff_options *options,
		      struct text *out);

#endif
