/* Which functions of a space are at home: rows of space_fired.homes, which are sorted. */
#ifndef TRAMMEL_SESSION_STATE_HOME_LIST_H
#define TRAMMEL_SESSION_STATE_HOME_LIST_H

#include "session/state/space.h"

/* The order of rows: as for qsort. */
int home_list_compare(const void *left, const void *right);

/* The row of a function among the first `count` of those at home; NULL: it is not. */
struct space_home *home_list_find_row(const struct space *space, size_t count,
				      uint64_t code_address, uint32_t function);

/* The row of a module's function, by its index in the plan. */
struct space_home *home_list_find(const struct space *space, const struct module *module,
				  uint32_t function);

void home_list_deinit_row(struct space_home *home);

void home_list_deinit(struct space_homes *homes);

/* Whether an address is that of a function that is listed. */
bool home_list_has(const struct space *space, const struct module *module,
		   uint64_t address);

#endif
