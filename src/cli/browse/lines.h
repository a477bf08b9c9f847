/* Views of `trammel browse` that are text: code, calls, help. A view is to be destroyed
 * by its operation.
 */
#ifndef TRAMMEL_CLI_BROWSE_LINES_H
#define TRAMMEL_CLI_BROWSE_LINES_H

#include "cli/browse/views.h"

/* Makes a view of the code of a function. Errors: those of annotation_open. */
struct trm_error *browse_code_create(const struct browser *browser, uint32_t function,
				     struct browse_view **ret_view);

/* Makes a view of who called a function, and whom it called. Error (TRM_ERROR_USAGE):
 * that was not measured. */
struct trm_error *browse_calls_create(const struct browser *browser, uint32_t function,
				      struct browse_view **ret_view);

/* Makes a view that explains the keys. */
struct browse_view *browse_help_create(const struct browser *browser);

#endif
