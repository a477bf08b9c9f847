/*
 * The result of a query: columns and rows, whose cells are made on demand.
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
	bool starred; /* from `*`: hidden if it has no cell */
	bool hidden;
	bool filled; /* has a cell */
	bool text;   /* has a cell that is not a number */
	bool tested; /* used by HAVING */
	bool unread; /* set by formats: shown without reading its cells */
	/* The chain that it shows, where keys are long; else NULL. */
	struct query_chain *chain;
};

struct query_row {
	uint32_t path; /* its key, up to the first attribute outside of the path */
	size_t number; /* of the group or the raw row */
};

struct query_result {
	const struct query *query;
	struct query_part *parts; /* owned; all but the first only keep strings */
	size_t part_count;
	struct query_part *part; /* the first: the merged data */
	struct VECTOR(struct query_result_column) columns;
	struct VECTOR(size_t) moved;  /* by column of the query: its index in `columns` */
	struct VECTOR(int) column_of; /* by attribute: its first column, or -1 */
	bool keyed;                   /* some columns are found along keys */
	/* Set by formats: paths of more bytes lose their middle; 0: none do. */
	size_t most_bytes;
	struct VECTOR(struct query_row) rows;
	struct VECTOR(struct text) joined; /* by column: joined values of a path */
	struct VECTOR(uint32_t) chain;     /* of the current key */
	struct VECTOR(bool) rounded;       /* by column: an integer did not fit 64 bits */
};

void query_result_deinit(struct query_result *result);

/* Makes columns and rows from the first part: HAVING, ORDER BY, LIMIT. */
void query_result_make(struct query_result *result);

/* The whole key of a row. */
uint32_t query_result_key(const struct query_result *result, const struct query_row *row);

/* Writes the cells of a row, by column. Valid until the next call. */
void query_result_cells(struct query_result *result, const struct query_row *row,
			struct record_value *cells);

/* The numbers of the visible columns, and their count; free() it. */
size_t *query_result_visible(const struct query_result *result, size_t *ret_count);

void query_result_destroy(struct query_result *result);

#endif
