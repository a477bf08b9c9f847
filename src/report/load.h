/* Loading: sums the records of a profile by function and process image. */
#ifndef TRAMMEL_REPORT_LOAD_H
#define TRAMMEL_REPORT_LOAD_H

#include "base/error.h"
#include "report/profile.h"

/* Loads a profile. Errors: those of trm_read, and TRM_ERROR_FORMAT if the file is
 * empty. The caller destroys the profile. */
struct trm_error *report_profile_load(const char *path,
				      struct report_profile **ret_profile);

/* Loads a profile with the counts of one interval only; an error (TRM_ERROR_USAGE) if
 * the profile does not have it. */
struct trm_error *report_profile_load_interval(const char *path, uint64_t number,
					       struct report_profile **ret_profile);

/* Loads a profile without arcs and edges, which may be most of its size. */
struct trm_error *report_profile_load_short(const char *path,
					    struct report_profile **ret_profile);

#endif
