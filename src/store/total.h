/* Sums of runs by function: read row by row, which is several times as fast as grouping
 * them in the database. */
#ifndef TRAMMEL_STORE_TOTAL_H
#define TRAMMEL_STORE_TOTAL_H

#include "store/choose.h"

/*
 * Makes a row of temp.totals for each function that has the event in the runs of
 * `chosen`, the name of a table of store_choose: side, function, value, squares (of the
 * values of runs), least, most, runs. Rows of other sides stay; those of this one are
 * made anew. An error if a sum of whole numbers is too large for the database.
 */
struct trm_error *total_functions(struct sql *sql, const struct store_event *event,
				  const char *chosen, int64_t side);

#endif
