/* Which functions of a profile are known, while it is loaded. */
#ifndef TRAMMEL_REPORT_FUNCTION_INDEX_H
#define TRAMMEL_REPORT_FUNCTION_INDEX_H

#include "report/profile.h"

struct report_function_index {
	/* By number of the name in profile.strings: index + 1 of the first function that
	 * has it. Most have their name alone, and are looked up sooner than in a table.
	 */
	struct VECTOR(uint32_t) first_by_name;
	struct table by_hash; /* the others, by hashes of all that tells them apart */
};

/* Finds the function of a module (index) at an offset, or makes it; `name` as it is
 * linked. Returns its index. */
uint32_t report_function_find(struct report_profile *profile,
			      struct report_function_index *functions, uint32_t module,
			      uint64_t offset, const char *name);
void report_function_index_deinit(struct report_function_index *functions);

#endif
