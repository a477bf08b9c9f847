/* The table of functions of `trammel browse`. A view is to be destroyed by its operation.
 */
#ifndef TRAMMEL_CLI_BROWSE_TABLE_H
#define TRAMMEL_CLI_BROWSE_TABLE_H

#include "cli/browse/views.h"

/* Makes a table of all functions. Error (TRM_ERROR_USAGE): nothing was counted. */
struct trm_error *browse_table_create(const struct browser *browser,
				      struct browse_view **ret_view);

#endif
