/* What the kinds of views of `trammel browse` share. */
#ifndef TRAMMEL_CLI_BROWSE_VIEWS_H
#define TRAMMEL_CLI_BROWSE_VIEWS_H

#include "cli/browse/browser.h"

/* Initializes what all views have. `size`: bytes of the kind's own struct. */
struct browse_view *browse_view_create(const struct browser *browser,
				       const struct browse_ops *ops, size_t size);

/* Frees what all views have, and the view. */
void browse_view_free(struct browse_view *view);

/* Adds a share as a percentage of 7 columns and a bar of `bar` columns, in red from 5 %
 * on, in green from 0.5 % on; the colour stays for what follows. */
void browse_add_share(const struct browse_view *view, uint64_t part, uint64_t whole,
		      size_t bar, struct text *out);

enum { BROWSE_CHANGE = 10 };

/* Adds how a number changed, in BROWSE_CHANGE columns: red if it grew, blue if it shrank;
 * then `after`, the colour that was before. */
void browse_add_change(uint64_t now, uint64_t before, const char *after,
		       struct text *out);

/* Returns the colour of a share: as that of browse_add_share. */
const char *browse_share_colour(uint64_t part, uint64_t whole);

/* Ends the colour. */
#define BROWSE_PLAIN "\033[0m"

#endif
