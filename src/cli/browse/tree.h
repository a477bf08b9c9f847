/* Trees of `trammel browse` that open and close. A view is to be destroyed by its
 * operation.
 */
#ifndef TRAMMEL_CLI_BROWSE_TREE_H
#define TRAMMEL_CLI_BROWSE_TREE_H

#include "cli/browse/views.h"

/* Makes a view of a tree; errors: those of flame_tree_init. */
struct trm_error *browse_tree_create(struct browser *browser, enum flame_by by,
				     struct browse_view **ret_view);

#endif
