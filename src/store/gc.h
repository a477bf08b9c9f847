/* Making what is old smaller. */
#ifndef TRAMMEL_STORE_GC_H
#define TRAMMEL_STORE_GC_H

#include "store/store.h"

#include <stdbool.h>

/* The command of runs that are hours of a daemon. */
#define STORE_DAEMON "trammel daemon"

struct store_gc_options {
	int64_t hour_days;    /* hours of a daemon that are of a day so many days ago, or
				 older, become that day; 0: none does */
	int64_t compact_days; /* older days become weeks; 0: none does */
	int64_t month_days;   /* older weeks become months; 0: none does */
	int64_t remove_days;  /* older epochs are deleted; 0: none is */
	int64_t shares;       /* of a daemon's samples, addresses with less than 1/shares
			       become their functions; 0: none does */
	int64_t keep;         /* so many of the newest epochs are not deleted */
	const char *now;      /* "YYYY-MM-DD", from which age counts; NULL: today */
	bool dry;             /* only say what would be done */
};

struct store_gc_done {
	int64_t removed, compacted, into; /* runs */
	int64_t counts_before, counts_after;
};

/*
 * Deletes and compacts runs by age. Compaction adds the runs of a day, week or month up,
 * apart from each other by host, label, measurement, and builds of images: counts of
 * processes, threads and intervals become one, and of a daemon's samples addresses that
 * are seldom met (see store/fold.h). One transaction.
 */
struct trm_error *store_gc(struct sql *sql, const struct store_gc_options *options,
			   struct store_gc_done *ret_done);

#endif
