/* Coverage of the source tree, values, waits and tables of tools in the data of a page.
 * Only for the files of this folder. */
#ifndef TRAMMEL_PAGE_TABLES_H
#define TRAMMEL_PAGE_TABLES_H

#include "base/error.h"
#include "base/text.h"
#include "page/page.h"
#include "report/profile.h"

/* Adds the member "coverage": source files, and what of them was executed. */
void page_add_coverage(const struct report_profile *profile, page_cover *cover,
		       struct text *out);

/* Adds the members "values", as `trammel values --json` has them, and "tables", those of
 * tools, probes and waits; `path` is that of the profile's file. Errors: those of
 * export_records_init. */
struct trm_error *page_add_tables(const struct report_profile *profile, const char *path,
				  struct text *out);

#endif
