/*
 * Cells formatted for people.
 */
#ifndef TRAMMEL_QUERY_FORMAT_CELLS_H
#define TRAMMEL_QUERY_FORMAT_CELLS_H

#include "query/result.h"

/* Adds a cell: 1,234,567; doubles with at most six digits behind the point, unless that
 * would hide the value; no text for QUERY_NOTHING. */
void query_add_cell(struct text *out, struct record_value value);

/* Adds the title of a column: "time (ns)". The unit is that of SELECT, or else of the
 * attribute shown or aggregated. */
void query_add_title(struct text *out, const struct query_result *result,
		     const struct query_result_column *column);

/* Adds a string with a backslash before each , = \ and newline, for `expand`. */
void query_add_escaped(struct text *out, const char *string);

/* The types of the values of a column. All-zero: no values. */
struct query_kind {
	unsigned seen; /* a bit for each enum record_type */
	bool large;    /* an integer that does not fit int64_t */
};

void query_kind_see(struct query_kind *kind, struct record_value value);
/* A type that holds all values: `own`, the attribute's type (or QUERY_NOTHING), if it
 * does. */
enum record_type query_kind_type(const struct query_kind *kind, enum record_type own);

/* Texts of numbers in the current record; the next record reuses their memory. All-zero
 * is empty. */
struct query_texts {
	struct VECTOR(struct text) items;
	size_t used;
};

/* Converts a value to a type that holds it. If that is text, it lies in `texts` until
 * `used` is 0 again. */
struct record_value query_fit(struct query_texts *texts, enum record_type type,
			      struct record_value value);
void query_texts_deinit(struct query_texts *texts);

#endif
