/*
 * Cells as people read them.
 */
#ifndef TRAMMEL_QUERY_FORMAT_CELLS_H
#define TRAMMEL_QUERY_FORMAT_CELLS_H

#include "query/result.h"

/* Adds a cell: 1,234,567; doubles with at most six digits behind the point, unless that
 * would hide what they are; nothing for nothing. */
void query_add_cell(struct text *out, struct record_value value);

/* Adds the title of a column: "time (ns)". The unit is that of SELECT, or else of the
 * attribute that is shown, or that the operator is applied to. */
void query_add_title(struct text *out, const struct query_result *result,
		     const struct query_result_column *column);

/* Adds a string with a backslash before , = \ and new lines, as `expand` has them. */
void query_add_escaped(struct text *out, const char *string);

/* What the values of a column are. All-zero is that of none. */
struct query_kind {
	unsigned seen; /* a bit for each enum record_type */
	bool large;    /* an integer that no int64_t holds */
};

void query_kind_see(struct query_kind *kind, struct record_value value);
/* A type that holds all of them: the attribute's own (or QUERY_NOTHING) if it does. */
enum record_type query_kind_type(const struct query_kind *kind, enum record_type own);

#endif
