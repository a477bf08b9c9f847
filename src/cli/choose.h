/*
 * What commands on one function of a profile have in common.
 */
#ifndef TRAMMEL_CLI_CHOOSE_H
#define TRAMMEL_CLI_CHOOSE_H

#include "annotate/annotation.h"
#include "base/error.h"
#include "report/profile.h"

/* Loads a profile with counts of blocks: see showing_load. */
struct trm_error *choose_profile(const char *path, const struct report_filter *filter,
				 struct report_profile **ret_profile);

/* The same of one with counts of calls by their places. */
struct trm_error *choose_calls(const char *path, const struct report_filter *filter,
			       struct report_profile **ret_profile);

/* The code of the one function that the word means (see annotation_find). If it means
 * several, they are listed on standard error, and it is an error. The caller deinits the
 * annotation, and then closes the file. */
struct trm_error *choose_function(const struct report_profile *profile, const char *word,
				  struct annotation_file *file,
				  struct annotation *annotation);

#endif
