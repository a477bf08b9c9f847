/* Selecting: sums the part of a profile that a report covers, and gives its rows in
 * order. */
#ifndef TRAMMEL_REPORT_SELECT_H
#define TRAMMEL_REPORT_SELECT_H

#include "base/error.h"
#include "report/order.h"
#include "report/profile.h"

/* The part of a profile that a report covers. */
struct report_filter {
	bool one_process;
	uint64_t process;   /* pid, if one_process */
	uint64_t interval;  /* that is loaded; 0: all */
	const char *module; /* glob for the name or path; NULL: all */
};

/* Sums the counts that the filter lets through, into the fields marked "Set by
 * selecting". Error (TRM_ERROR_USAGE) if the process or module does not exist. */
struct trm_error *report_profile_select(struct report_profile *profile,
					const struct report_filter *filter);

/* Returns the rows of `skips`, a list of the profile, that are of selected modules, by
 * reason, module, name. The caller frees the array. */
const struct report_skip **report_profile_skips(const struct report_profile *profile,
						const struct report_skips *skips,
						size_t *ret_count);

/* Returns the executed functions (profile.executed of them), sorted; equal ones by
 * module, name, address. The caller frees the array. */
const struct report_function **
report_profile_functions(const struct report_profile *profile, enum report_sort sort);

/* Returns the selected modules that selected images loaded, sorted likewise. The caller
 * frees the array. */
const struct report_module **report_profile_modules(const struct report_profile *profile,
						    enum report_sort sort,
						    size_t *ret_count);

/* Returns the selected images in their order. The caller frees the array. */
const struct report_image **report_profile_images(const struct report_profile *profile,
						  size_t *ret_count);

#endif
