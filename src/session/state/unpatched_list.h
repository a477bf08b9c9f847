/* Which functions of a space are unpatched: rows of space_fired.unpatched, which are
 * sorted. */
#ifndef TRAMMEL_SESSION_STATE_UNPATCHED_LIST_H
#define TRAMMEL_SESSION_STATE_UNPATCHED_LIST_H

#include "session/state/space.h"

/* The order of rows: as for qsort. */
int unpatched_list_compare(const void *left, const void *right);

/* The row of a function among the first `count` of those that are unpatched; NULL: it is
 * not. */
struct space_unpatched *unpatched_list_find_row(const struct space *space, size_t count,
						uint64_t code_address, uint32_t function);

/* The row of a module's function, by its index in the plan. */
struct space_unpatched *unpatched_list_find(const struct space *space,
					    const struct module *module,
					    uint32_t function);

void unpatched_list_deinit_row(struct space_unpatched *row);

void unpatched_list_deinit(struct space_unpatched_list *list);

/* Whether an address is that of a function that is listed. */
bool unpatched_list_has(const struct space *space, const struct module *module,
			uint64_t address);

#endif
