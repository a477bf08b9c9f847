/*
 * The size of regular expressions.
 */
#ifndef TRAMMEL_QUERY_PATTERN_H
#define TRAMMEL_QUERY_PATTERN_H

#include <stdbool.h>

/* Whether the C library's automaton for an extended regular expression has an acceptable
 * size; the expression may be invalid. */
bool query_pattern_fits(const char *text);

#endif
