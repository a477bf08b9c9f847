/*
 * The page of profiles: one HTML file, whose script draws the data in it. docs/page.md
 * describes that data; the script and its libraries are in page/, and are bundled when
 * trammel is built.
 */
#ifndef TRAMMEL_PAGE_PAGE_H
#define TRAMMEL_PAGE_PAGE_H

#include "base/error.h"
#include "base/text.h"
#include "coverage/coverage.h"
#include "report/profile.h"

#include <stddef.h>

/* A profile of the page; its selection is shown. */
struct page_profile {
	const char *path; /* of its file */
	const struct report_profile *profile;
};

/* Makes the coverage of a profile: coverage_init, of what the run was asked to measure.
 */
typedef void page_cover(struct coverage *coverage, const struct report_profile *profile,
			const char *source);

struct page_options {
	page_cover *cover;
	size_t code;    /* functions whose code is shown, the heaviest of each profile */
	size_t sources; /* bytes of source files, in all */
};

/* Adds the data of a page as one JSON object. Modules that cannot be read are without
 * code; the object says why. Errors: those of reading the profiles' waits. */
struct trm_error *page_data(const struct page_profile *profiles, size_t count,
			    const struct page_options *options, struct text *json);

/* Returns an error (TRM_ERROR_UNSUPPORTED) if trammel was built without the page's
 * script, so that page_html would fail. */
struct trm_error *page_check(void);

/* Adds the page with its data. Errors: those of page_check, those of page_data,
 * TRM_ERROR_LIMIT without memory. */
struct trm_error *page_html(const struct page_profile *profiles, size_t count,
			    const struct page_options *options, struct text *out);

#endif
