/* The runs of a profile, and what they measured. */
#ifndef TRAMMEL_REPORT_RUNS_H
#define TRAMMEL_REPORT_RUNS_H

#include "base/error.h"
#include "report/profile.h"

/* Returns the error for a file that has a head and nothing else. */
struct trm_error *report_error_empty(const char *path);

/* Finds a run's global by name; NULL if it is absent. */
const struct record_value *report_run_global(const struct report_run *run,
					     const char *name);

/* Returns the text of a run's global; "" if it is absent, or no text. */
const char *report_run_text(const struct report_run *run, const char *name);

/* Tells whether the run only recorded which code ran, without counts. */
bool report_run_is_coverage(const struct report_run *run);

/* Tells whether measurements (the text of run.measure) count blocks. If they do and there
 * are no blocks, the executed functions could not be relocated. */
bool report_measure_has_blocks(const char *measure);

/* Tells whether those of any run of a profile do. */
bool report_has_measured_blocks(const struct report_profile *profile);

/* Tells whether any run had one of these measurements; `names` ends with NULL. */
bool report_has_measured(const struct report_profile *profile, const char *const *names);

/* Tells whether any run measured more than the program's own context. */
bool report_has_measured_code(const struct report_profile *profile);

/* Returns the error for a profile without block counts although its measurements count
 * blocks. */
struct trm_error *report_blocks_stayed(const char *path);

#endif
