/* Merges several profiles into one. Records are passed on one by one, including
 * unknown ones; docs/profile.md describes the changes: images and runs get new
 * numbers, globals become a run record, and reasons for left-out functions are written
 * only once. Memory is needed for the names in all profiles, not for their records. */
#ifndef TRAMMEL_REPORT_MERGE_H
#define TRAMMEL_REPORT_MERGE_H

#include "base/error.h"

/* Begins a profile, which is written to `fd`. */
struct report_merge *report_merge_create(int fd);

/* Adds the records of a file. `ret_warning` is that of trm_read. Errors: those of
 * trm_read, TRM_ERROR_FORMAT if the file is empty, TRM_ERROR_USAGE if its measurement
 * differs from that of the files before. After an error the merged profile must not be
 * used. */
struct trm_error *report_merge_add(struct report_merge *merge, const char *path,
				   char **ret_warning);

/* Ends the profile. Returns the first error of the disk. Frees everything. */
struct trm_error *report_merge_finish(struct report_merge *merge)
	__attribute__((warn_unused_result));

#endif
