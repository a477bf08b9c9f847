/* List of a space's unpatched functions: rows of space_fired.unpatched, which are
 * sorted. */
#ifndef TRAMMEL_SESSION_STATE_UNPATCHED_LIST_H
#define TRAMMEL_SESSION_STATE_UNPATCHED_LIST_H

#include "session/state/space.h"

/* Compares two rows; returns as for qsort. */
int unpatched_list_compare(const void *left, const void *right);

/* Returns the row of a function among the first `count` unpatched ones; NULL: it is
 * not unpatched. */
struct space_unpatched *unpatched_list_find_row(const struct space *space, size_t count,
						uint64_t code_address, uint32_t function);

/* Returns the row of a module's function, by its index in the plan; NULL: it is not
 * unpatched. */
struct space_unpatched *unpatched_list_find(const struct space *space,
					    const struct module *module,
					    uint32_t function);

void unpatched_list_deinit_row(struct space_unpatched *row);

void unpatched_list_deinit(struct space_unpatched_list *list);

/* Returns whether an address is that of a listed function. */
bool unpatched_list_has(const struct space *space, const struct module *module,
			uint64_t address);

#endif
