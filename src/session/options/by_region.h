/* The option --by-region: what is counted in each region is kept apart (wire/phase.h). */
#ifndef TRAMMEL_SESSION_OPTIONS_BY_REGION_H
#define TRAMMEL_SESSION_OPTIONS_BY_REGION_H

#include "base/error.h"

struct patterns;
struct session_options;

/* Takes the option, with its word or NULL: functions that are regions, too. `to` is a
 * struct session_by_region. */
struct trm_error *by_region_take(const char *option, const char *word, void *to);

/* Adds the functions of the option to `regions`. Returns an error where what is measured,
 * `measure` as -m has it, cannot be kept apart. */
struct trm_error *by_region_check(struct session_options *options, const char *measure,
				  struct patterns *regions);

#endif
