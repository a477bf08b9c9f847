/*
 * Cells as people read them.
 */
#ifndef TRAMMEL_QUERY_FORMAT_CELLS_H
#define TRAMMEL_QUERY_FORMAT_CELLS_H

#include "query/result.h"

/* Adds a cell: 1,234,567; doubles with at most six digits behind the point, unless that
 * would hide what they are; nothing for nothing. */
void query_add_cell(struct text *out, struct record_value value);

/* Adds the title of a column: "time (ns)". */
void query_add_title(struct text *out, const struct query_result_column *column);

#endif
