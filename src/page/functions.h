/* Functions, their numbers, and their calls of each other, in the data of a page. Only
 * for the files of this folder. */
#ifndef TRAMMEL_PAGE_FUNCTIONS_H
#define TRAMMEL_PAGE_FUNCTIONS_H

#include "page/parts.h"
#include "report/profile.h"

/* Adds the member "functions": names, modules and numbers of all functions of a profile,
 * a list each. They have the order of profile.functions, as all numbers of functions in
 * the data. */
void page_add_functions(const struct report_profile *profile, struct page_out *out);

/* Adds the member "arcs": calls of one function by another. */
void page_add_arcs(const struct report_profile *profile, struct page_out *out);

#endif
