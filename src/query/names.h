/*
 * Warnings of names in queries that no record has.
 */
#ifndef TRAMMEL_QUERY_NAMES_H
#define TRAMMEL_QUERY_NAMES_H

#include "query/query.h"

/* Adds a line for each name in the query that no record has, and for each column without
 * values. */
void query_warn_of_names(const struct query_result *result, struct text *warnings);

#endif
