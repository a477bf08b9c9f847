/*
 * Tests of WHERE, and names of attributes in queries.
 */
#ifndef TRAMMEL_QUERY_MATCH_H
#define TRAMMEL_QUERY_MATCH_H

#include "query/part.h"

/* Whether a query's name `wanted` means the attribute: `time` also means time.ns. */
bool query_is_name(const char *wanted, const char *attribute);

/* query_is_class: whether a word of GROUP BY is a class of attributes. query_is_key:
 * whether such a word names the attribute or a class that contains it. */
bool query_is_class(const char *name);

bool query_is_key(const char *key, const struct query_attribute *attribute);

/* Whether the value satisfies the test. */
bool query_test_passes(const struct query_test *test, struct record_value value);

#endif
