/* What `gcov --json-format` writes, of a profile. */
#ifndef TRAMMEL_EXPORT_GCOV_H
#define TRAMMEL_EXPORT_GCOV_H

#include "base/text.h"
#include "coverage/coverage.h"

/*
 * Adds the JSON object that gcov of gcc 12 writes (format version 1): functions of each
 * source file with how often they were called, lines with how often they were executed,
 * and branches of lines, as far as the profile has them. `data_file`: what was run.
 *
 * Source: gcc's manual, "Invoking gcov", --json-format
 */
void export_gcov(const struct coverage *coverage, const char *data_file,
		 struct text *out);

#endif
