/*
 * One profile of several. Records are passed on one by one, whatever they hold; what is
 * changed is said in docs/profile.md: images and runs get new numbers, globals become a
 * run record, and what left out functions is said once. Memory is needed for the names in
 * all profiles, not for their records.
 */
#ifndef TRAMMEL_REPORT_MERGE_H
#define TRAMMEL_REPORT_MERGE_H

#include "base/error.h"

/* Begins a profile, which is written to `fd`. */
struct report_merge *report_merge_create(int fd);

/*
 * Adds what is in a file. `ret_warning` is that of trm_read. Errors: those of trm_read,
 * TRM_ERROR_FORMAT if nothing is in it, TRM_ERROR_USAGE if it holds another measurement
 * than the files before. After an error the profile is of no use.
 */
struct trm_error *report_merge_add(struct report_merge *merge, const char *path,
				   char **ret_warning);

/* Ends the profile. Returns the first error of the disk. Frees everything. */
struct trm_error *report_merge_finish(struct report_merge *merge)
	__attribute__((warn_unused_result));

#endif
