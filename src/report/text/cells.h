/* How much room text takes on a terminal, character by character. */
#ifndef TRAMMEL_REPORT_TEXT_CELLS_H
#define TRAMMEL_REPORT_TEXT_CELLS_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the terminal columns that a text takes: two for the wide characters of East
 * Asian scripts, none for combining ones. Bytes that are not UTF-8 take one each. */
size_t cells_of(const char *string);

/* Returns how many bytes of a text fit into `columns` columns, whole characters; writes
 * how many columns they take. */
size_t cells_fit(const char *string, size_t columns, size_t *ret_used);

/* Adds as much of a text as fits into `columns` columns, and blanks up to there. Control
 * characters are shown as '?'. */
void cells_add(struct text *out, const char *string, size_t columns);

/* Tells whether the user's terminal is to get characters outside ASCII: LC_ALL, LC_CTYPE
 * or LANG name UTF-8. */
bool cells_are_unicode(void);

#endif
