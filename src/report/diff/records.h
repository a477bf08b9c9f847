/*
 * Differences between what tools recorded, or one-line probes found, in two profiles.
 * Rows are known by their texts: function, line, keys; addresses are others in other
 * builds.
 */
#ifndef TRAMMEL_REPORT_DIFF_RECORDS_H
#define TRAMMEL_REPORT_DIFF_RECORDS_H

#include "report/diff/diff.h"

struct record_diff_row {
	char *table;    /* "branch: branches"; a probe's points and action */
	char *row;      /* "app:main app.c:12, keys"; "": all of it */
	char *number;   /* which number of the row */
	uint32_t order; /* of the number among those of the table */
	uint8_t fold;   /* enum report_tool_fold: how equal ones are put together */
	bool there[DIFF_SIDES];
	/* Whole numbers of 64 bits are exact. */
	long double values[DIFF_SIDES];
};

struct record_diff {
	struct VECTOR(struct record_diff_row) rows; /* that differ: by table, number */
	size_t equal;
};

/* Whether a profile has what is compared by DIFF_BY_TOOL or DIFF_BY_PROBE. */
bool record_diff_has(const struct report_profile *profile, enum diff_by by);

/* Compares two profiles by options->by, one of these two. Error (TRM_ERROR_USAGE): one of
 * them has no such records. */
struct trm_error *record_diff_make(const struct report_profile *a,
				   const struct report_profile *b,
				   const struct diff_options *options,
				   struct record_diff *ret_diff);
/* Frees the rows. */
void record_diff_deinit(struct record_diff *diff);

#endif
