/* Tables that answer questions: as text, or as JSON. */
#ifndef TRAMMEL_STORE_ANSWER_H
#define TRAMMEL_STORE_ANSWER_H

#include "base/text.h"
#include "base/vector.h"
#include "report/text/grid.h"

#include <stdbool.h>
#include <stdint.h>

enum answer_kind {
	ANSWER_TEXT,
	ANSWER_NUMBER,
	ANSWER_REAL,
	ANSWER_SHARE, /* in percent */
	ANSWER_ADDRESS,
};

struct answer_cell {
	bool none;
	bool fraction; /* `real` alone is the number */
	char *text;
	int64_t number;
	double real;
};

struct answer_column {
	const char *title, *key; /* of the text, and of the JSON */
	enum answer_kind kind;
};

struct answer {
	char *head; /* a line in front of the text; may be NULL */
	bool cut;   /* there are more rows, which were not read */
	struct VECTOR(struct answer_column) columns;
	struct VECTOR(struct answer_cell) cells; /* row by row */
};

/* Adds a column, before the first cell. */
void answer_column(struct answer *answer, const char *title, const char *key,
		   enum answer_kind kind);

/* Add the next cell of a row: text, a whole number or an address, another number, or
 * none. */
void answer_text(struct answer *answer, const char *text);
void answer_number(struct answer *answer, int64_t number);
void answer_real(struct answer *answer, double number);
void answer_none(struct answer *answer);

/* Writes the table as text, at most `limit` rows, or as one JSON object with the member
 * `name` for the rows, which are all in it. */
void answer_print(const struct answer *answer, size_t limit,
		  const struct text_style *style, struct text *out);
void answer_json(const struct answer *answer, const char *name, struct text *out);

/* Counts the rows. */
size_t answer_rows(const struct answer *answer);

/* Frees the cells. */
void answer_deinit(struct answer *answer);

#endif
