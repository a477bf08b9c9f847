/* Bars that stand for shares. */
#ifndef TRAMMEL_REPORT_TEXT_BAR_H
#define TRAMMEL_REPORT_TEXT_BAR_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Adds a bar for a share (0 to 1) of `columns` columns, and blanks up to there.
 * `unicode`: by blocks, in eighths of a column; else by '#'. */
void bar_add(struct text *out, double share, size_t columns, bool unicode);

#endif
