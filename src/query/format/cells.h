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

/* Texts of numbers in the record at hand, whose memory the next one takes again. All-zero
 * is none. */
struct query_texts {
	struct VECTOR(struct text) items;
	size_t used;
};

/* The value in a type that holds it; its text, if it becomes one, lies in `texts` until
 * `used` is 0 again. */
struct record_value query_fit(struct query_texts *texts, enum record_type type,
			      struct record_value value);
void query_texts_deinit(struct query_texts *texts);

#endif
