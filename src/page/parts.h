/* Parts of the data of a page. Only for the files of this folder. */
#ifndef TRAMMEL_PAGE_PARTS_H
#define TRAMMEL_PAGE_PARTS_H

#include "base/table.h"
#include "base/text.h"
#include "page/page.h"

/* Paths of source files that the code of a page has lines of. */
struct page_sources {
	struct string_table paths;
};

/* Adds the member "functions": names, modules and numbers of all functions of a profile,
 * a list each. They have the order of profile.functions, as all numbers of functions in
 * the data. */
void page_add_functions(const struct report_profile *profile, struct text *out);

/* Adds the member "trees": calls in their contexts, samples by stack, and regions. */
void page_add_trees(const struct report_profile *profile, struct text *out);

/* Adds the member "arcs": calls of one function by another. */
void page_add_arcs(const struct report_profile *profile, struct text *out);

/* Adds the members "code", the annotated code of the heaviest `limit` functions, and
 * "troubles", modules whose code could not be read. Notes the source files in
 * `sources`. */
void page_add_code(const struct report_profile *profile, size_t limit,
		   struct page_sources *sources, struct text *out);

/* Adds the member "sources": the text of source files by path, as many as fit into
 * `size` bytes. */
void page_add_sources(const struct page_sources *sources, size_t size, struct text *out);

#endif
