/* The numbers that functions of a profile can have, as columns. */
#ifndef TRAMMEL_REPORT_FLAME_COLUMNS_H
#define TRAMMEL_REPORT_FLAME_COLUMNS_H

#include "report/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct flame_column {
	const char *name;
	const char *unit; /* "ns", "B" or "" */
	uint64_t (*get)(const struct report_function *function);
};

/* All of them, in the order in which they are shown; the last one has no name. */
extern const struct flame_column flame_columns[];

enum { FLAME_COLUMNS_MAX = 8 };

/* Tells whether any function of the selection has a number in a column. */
bool flame_column_is_used(const struct report_profile *profile,
			  const struct flame_column *column);

/* Returns the column that functions are weighed by when nobody has chosen one: time
 * first. NULL: nothing was counted. */
const struct flame_column *flame_column_main(const struct report_profile *profile);

/* Returns the column of a name; NULL: there is none. */
const struct flame_column *flame_column_find(const char *name);

#endif
