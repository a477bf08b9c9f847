/* The page of a profile, for commands beside `trammel page`. */
#ifndef TRAMMEL_CLI_PAGE_H
#define TRAMMEL_CLI_PAGE_H

#include "base/error.h"
#include "report/profile.h"

/* Writes the page of the selection of a profile to a file ("-": standard output), and
 * says so. `path`: of the profile's file. Errors: those of page_html, and of the disk. */
struct trm_error *page_write_one(const char *path, const struct report_profile *profile,
				 const char *output);

#endif
