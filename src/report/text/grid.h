/* A table of text: cells are collected, then printed in columns of fitting width. */
#ifndef TRAMMEL_REPORT_TEXT_GRID_H
#define TRAMMEL_REPORT_TEXT_GRID_H

#include "base/text.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct grid_column {
	const char *title;
	bool right; /* numbers stand at the right */
};

/* The style of a text report. */
struct text_style {
	bool colour;
	size_t width; /* columns of the terminal, at which lines are cut; 0: never */
};

struct grid {
	struct VECTOR(struct grid_column) columns;
	struct VECTOR(char *) cells;   /* row by row */
	struct VECTOR(uint8_t) paints; /* by row; rows past the end are GRID_PLAIN */
};

enum grid_paint { GRID_PLAIN, GRID_GREEN, GRID_RED };

void grid_add_column(struct grid *grid, const char *title, bool right);

/* Sets the colour of the row whose first cell is added next. */
void grid_paint_row(struct grid *grid, enum grid_paint paint);

/* Adds the next cell of the row. Control characters of names are shown as '?'. */
void grid_add_text(struct grid *grid, const char *text);
void grid_add_number(struct grid *grid, unsigned long long number);
/* A share of 1 as a percentage, "" where `of` is 0. */
void grid_add_share(struct grid *grid, unsigned long long part, unsigned long long of);

/* Adds the title line and the rows to the text. The last column is cut to the width, if
 * it has names and not numbers; 16 columns of it are there in any case. */
void grid_print(const struct grid *grid, const struct text_style *style,
		struct text *out);
void grid_deinit(struct grid *grid);

/* Adds a string, control characters as '?', so that no name can steer a terminal. */
void report_add_visible(struct text *out, const char *string);
/* Adds the string escaped for double quotes in Graphviz's language. */
void report_add_quoted(struct text *out, const char *string);

#endif
