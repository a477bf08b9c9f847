/* Parts of runs that are told apart: intervals, and threads. */
#ifndef TRAMMEL_REPORT_PARTS_H
#define TRAMMEL_REPORT_PARTS_H

#include "base/table.h"
#include "report/profile.h"

struct row;

/* Where the parts of a profile are, while it is loaded. */
struct report_parts {
	struct table interval_by_number, thread_by_key, part_by_key;
};

/* Adds an interval; of several runs, the times of the first count. */
void report_interval_add(struct report_profile *profile, struct report_parts *parts,
			 const struct row *row);

/* Returns the index of a thread, made if it is new. */
uint32_t report_thread_find(struct report_profile *profile, struct report_parts *parts,
			    uint32_t image, uint64_t number);

/* Returns the part of the run that the counts in a row are of, made if it is new; NULL:
 * of none that is told apart. Valid until the next one is looked for. */
struct report_part *report_part_find(struct report_profile *profile,
				     struct report_parts *parts, const struct row *row,
				     uint32_t image, uint32_t function);

void report_parts_deinit(struct report_parts *parts);

#endif
