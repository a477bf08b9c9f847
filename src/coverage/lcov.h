/* Writing tracefiles for lcov. */
#ifndef TRAMMEL_COVERAGE_LCOV_H
#define TRAMMEL_COVERAGE_LCOV_H

#include "coverage/coverage.h"

/*
 * Adds a tracefile of lcov (geninfo(1) describes the format): the functions of each
 * source file, with FN, FNDA and, for the line of each, DA; all lines that have code, in
 * a profile of blocks; BRDA for each way of each branch, in one of edges. Names of files
 * are absolute. `missing`: with source files that do not exist, too. Returns how many
 * files there are.
 */
size_t coverage_lcov(const struct coverage *coverage, bool missing,
		     struct coverage_left_out *ret_left_out, struct text *out);

#endif
