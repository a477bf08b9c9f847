/* What stands above and below the tables of a text report: the runs, and what was not
 * measured. */
#ifndef TRAMMEL_REPORT_TEXT_HEAD_H
#define TRAMMEL_REPORT_TEXT_HEAD_H

#include "base/text.h"
#include "report/profile.h"
#include "report/text/grid.h"

#include <stdbool.h>
#include <stddef.h>

/* Adds two lines on each run, for at most `limit` runs. */
void report_add_head(struct text *out, const struct report_profile *profile, size_t limit,
		     const struct text_style *style);
/* Adds a line with the number of instructions executed in the selection, for profiles
 * of blocks. */
void report_add_instructions(struct text *out, const struct report_profile *profile);
/* Adds a line for each process that was released, not measured, or is still running, at
 * most `limit` of them. */
void report_add_unmeasured(struct text *out, const struct report_profile *profile,
			   size_t limit);

/* Adds the functions that were not instrumented, and cold parts without counts, with
 * reasons; with their names if `verbose`. */
void report_add_skipped(struct text *out, const struct report_profile *profile,
			bool verbose);

#endif
