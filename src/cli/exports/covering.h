/* The coverage of a profile, for commands that show or export it. */
#ifndef TRAMMEL_CLI_EXPORTS_COVERING_H
#define TRAMMEL_CLI_EXPORTS_COVERING_H

#include "base/text.h"
#include "coverage/coverage.h"

/* Makes the coverage of what is selected in a profile, which must outlive it: of what its
 * runs were to measure. `source`: a glob for paths of source files; NULL: all. The caller
 * deinits it. */
void covering_init(struct coverage *coverage, const struct report_profile *profile,
		   const char *source);

/* Adds a tracefile for lcov; says on standard error what it lacks. `keep_missing`: with
 * source files that do not exist here, too. */
void covering_tracefile(const struct coverage *coverage, bool keep_missing,
			struct text *text);

/* Says on standard error what is missing since files could not be read, or processes were
 * not measured: formats of coverage have no room for it. */
void covering_warn(const struct coverage *coverage);

#endif
