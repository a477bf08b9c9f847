/*
 * What functions executed in each phase of a program (region.path of their records), and
 * which did the same in several.
 */
#ifndef TRAMMEL_ADVISE_PHASES_H
#define TRAMMEL_ADVISE_PHASES_H

#include "base/error.h"
#include "report/profile.h"

/* A function that executed the same number of instructions, in the same number of calls,
 * in several phases. */
struct phase_work {
	uint32_t function;                    /* in profile.functions */
	uint64_t phases, calls, instructions; /* the latter in each of them */
	char *first;                          /* path of the first of these phases */
};

struct phase_works {
	struct VECTOR(struct phase_work) items;
};

/* Tells whether a file has counts of functions by phase. */
bool phases_are_told(const char *path);

/* Reads them from a file, of which `profile` was loaded. Of each function the largest
 * number of phases with equal work counts. Errors as for trm_read. On success the caller
 * deinits the works. */
struct trm_error *phases_read(const struct report_profile *profile, const char *path,
			      struct phase_works *ret_works);
void phase_works_deinit(struct phase_works *works);

#endif
