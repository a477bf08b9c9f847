/*
 * The result of a query: columns and rows, whose cells are made when they are asked for.
 */
#ifndef TRAMMEL_QUERY_RESULT_H
#define TRAMMEL_QUERY_RESULT_H

#include "query/chain.h"
#include "query/part.h"

struct query_result_column {
	enum query_column_kind kind; /* never QUERY_COLUMN_ALL */
	const char *name;            /* of the attribute or the result */
	char *title;                 /* the alias or the name */
	const char *unit;            /* or NULL */
	int64_t attribute;           /* of the keys; -1: no record has it */
	int next;                    /* another column with the same attribute, or -1 */
	size_t aggregate;
	bool starred; /* of `*`: hidden if no row has it */
	bool hidden;
	bool filled; /* some row has it */
	bool text;   /* some row has what is no number */
	bool tested; /* HAVING looks at it */
	bool unread; /* for formats to set: they show it without its cells */
	/* Where keys are long: what it shows of them; else NULL. */
	struct query_chain *chain;
};

struct query_row {
	uint32_t path; /* its key, up to what is no part of the path */
	size_t number; /* of the group or the raw row */
};

struct query_result {
	const struct query *query;
	struct query_part *parts; /* its own; all but the first keep strings only */
	size_t part_count;
	struct query_part *part; /* the first: what is shown */
	struct VECTOR(struct query_result_column) columns;
	struct VECTOR(size_t) moved;  /* by column of the query: where it is here */
	struct VECTOR(int) column_of; /* by attribute: its first column, or -1 */
	bool keyed;                   /* some column shows what is found along keys */
	/* For formats to set: paths of more bytes are cells without their middle; 0: none
	 * are. */
	size_t most_bytes;
	struct VECTOR(struct query_row) rows;
	struct VECTOR(struct text) joined; /* by column: values of a path put together */
	struct VECTOR(uint32_t) chain;     /* of the key at hand */
	struct VECTOR(bool) rounded; /* by column: an integer that 64 bits do not hold */
};

void query_result_deinit(struct query_result *result);

/* Makes columns and rows of what the first part has: HAVING, ORDER BY, LIMIT. */
void query_result_make(struct query_result *result);

/* Says of which columns numbers were rounded: lines. */
void query_warn_of_rounding(const struct query_result *result, struct text *warnings);

/* The whole key of a row. */
uint32_t query_result_key(const struct query_result *result, const struct query_row *row);

/* The cells of a row, one a column. Valid until the next call. */
void query_result_cells(struct query_result *result, const struct query_row *row,
			struct record_value *cells);

/* The visible columns' numbers, and how many there are; free() it. */
size_t *query_result_visible(const struct query_result *result, size_t *ret_count);

#endif
