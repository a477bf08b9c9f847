/* Trees in the data of a page. Only for the files of this folder. */
#ifndef TRAMMEL_PAGE_TREES_H
#define TRAMMEL_PAGE_TREES_H

#include "page/parts.h"
#include "report/profile.h"

/* Adds the member "trees": calls in their contexts, samples by call path, and regions. */
void page_add_trees(const struct report_profile *profile, struct page_out *out);

#endif
