/*
 * What the formats of cali-query have in common. They look as those of LLNL's Caliper do
 * (its documentation, and what version 2.15 prints), but for what loses something: where
 * six digits behind the point do not tell a double, all its digits are there.
 */
#ifndef TRAMMEL_QUERY_FORMAT_CALIPER_H
#define TRAMMEL_QUERY_FORMAT_CALIPER_H

#include "query/format.h"

struct caliper_column {
	const char *title;
	size_t column;         /* of the result */
	enum record_type type; /* QUERY_NOTHING: that of its values */
	bool in_tree;          /* a value of the context tree */
	bool numbers;          /* it is aligned as numbers are */
	bool path;             /* all nested attributes of the row, not its cell */
	size_t width;          /* for the format */
};

/* A row's cells, and the columns that are shown. */
struct caliper_walk {
	struct query_result *result;
	struct VECTOR(struct caliper_column) columns;
	struct record_value *cells;
};

/* Columns in the order in which rows have them, where SELECT does not list them. Of
 * those that stand for a path there are none but with `path`. */
void caliper_walk_init(struct caliper_walk *walk, struct query_result *result, bool path);
void caliper_walk_deinit(struct caliper_walk *walk);
/* The column of a result that has this name; it need not be shown. False: there is none.
 */
bool caliper_find(const struct caliper_walk *walk, const char *name,
		  struct caliper_column *ret_column);

/* Sets the titles to those that the files give the attributes, if SELECT gives none. */
void caliper_take_aliases(struct caliper_walk *walk);

/* Adds the value of a column; nothing for nothing. `people`: six digits behind the point
 * are enough. */
void caliper_add_value(struct text *out, const struct caliper_column *column,
		       struct record_value value, bool people);

/* Adds the text in so many columns, with a space behind it. One that is longer has its
 * middle left out. */
void caliper_pad(struct text *out, const char *string, size_t width, bool right);

/* The width of a column of so many characters: at least 4, at most what the option
 * column-width or else `usual` says. */
size_t caliper_width(const struct query *query, size_t width, size_t usual);

/* Has cells no longer than columns of that width can show, with both ends. */
void caliper_cut_cells(struct query_result *result, size_t usual);

/* Run metadata, a line each, where the option print-globals is given. */
void caliper_add_globals(const struct query_result *result, struct text *out);

#endif
