/*
 * What a command line wants of the tables that a command prints, whichever they are:
 * which columns, in which order of rows, how many, and whether as CSV. grid_print
 * follows it.
 */
#ifndef TRAMMEL_REPORT_TEXT_CHOICE_H
#define TRAMMEL_REPORT_TEXT_CHOICE_H

#include "base/error.h"
#include "report/text/grid.h"

/* Texts are the caller's, as long as tables are printed. */
struct grid_choice {
	const char *columns; /* titles, with commas between them; NULL: all */
	const char *sort; /* a title, perhaps with - in front: the other way round; NULL:
			     as they come */
	size_t limit;     /* rows where `sort` is given; 0: all */
	bool csv;         /* the first table that has any of the columns, RFC 4180 */
};

/* Sets the choice for all tables that are printed from now on; NULL: none. */
void grid_choose(const struct grid_choice *choice);

/* Makes the part of a table that is chosen, whose cells stay the table's, in `ret_view`;
 * false: the table is as it is. `ret_more`: rows that were left out. The caller frees
 * the view by choice_view_deinit. */
bool choice_make_view(const struct grid *grid, struct grid *ret_view, size_t *ret_more);
void choice_view_deinit(struct grid *view);

/* Takes a table into the CSV, where that is wanted; false: it is not, or there is one
 * already. */
bool choice_take_csv(const struct grid *view);

/* Returns the CSV that was made of tables since grid_choose; NULL: none is wanted. */
const struct text *grid_csv(void);

/* Tells whether what was wanted was there. Error (TRM_ERROR_USAGE): a column that no
 * table had, with those that there are. */
struct trm_error *grid_check(void);

#endif
