/* Whether a database is sound, and what can be saved of one that is not. */
#ifndef TRAMMEL_STORE_CHECK_H
#define TRAMMEL_STORE_CHECK_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

/* Checks a database: the file, and whether its tables agree with each other. Adds a line
 * to `ret_faults` for each fault, none if it is sound. Errors: it cannot be opened at
 * all. */
struct trm_error *store_check(const char *path, struct text *ret_faults);

/*
 * Copies what can be read of a database into a new one, which takes its place; the old
 * one is kept as FILE.damaged. Counts whose context or run is lost are left out, sums are
 * made anew. Adds a line for each table that lost rows to `ret_lost`. Errors: nothing can
 * be read of it, or nothing can be written beside it; then it is as before.
 */
struct trm_error *store_repair(const char *path, struct text *ret_lost);

#endif
