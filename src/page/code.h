/* Code and source files in the data of a page. Only for the files of this folder. */
#ifndef TRAMMEL_PAGE_CODE_H
#define TRAMMEL_PAGE_CODE_H

#include "base/table.h"
#include "base/text.h"
#include "report/profile.h"

/* Paths of source files that the code of a page has lines of. */
struct page_sources {
	struct string_table paths;
};

/* Adds the members "code", the annotated code of the heaviest `limit` functions, and
 * "troubles", modules whose code could not be read. Notes the source files in
 * `sources`. */
void page_add_code(const struct report_profile *profile, size_t limit,
		   struct page_sources *sources, struct text *out);

/* Adds the member "sources": the text of source files by path, as many as fit into
 * `size` bytes. */
void page_add_sources(const struct page_sources *sources, size_t size, struct text *out);

#endif
