/*
 * Counts of calls and blocks of which threads were in the middle when counting began or
 * ended.
 */
#ifndef TRAMMEL_SESSION_PROFILE_CORRECTED_H
#define TRAMMEL_SESSION_PROFILE_CORRECTED_H

#include "code/count/edges.h"

/* How often a block was entered, and how often that was more than it was left, as far as
 * that is known. */
struct corrected {
	uint64_t count;
	int64_t stayed;
};

/* By the counters of all slots, and the residues of the module; NULL: counters tell
 * all. Not for functions whose edges were counted: see edges_solve; nor for flags. */
struct corrected corrected_block(const struct plan *plan,
				 const struct plan_function *function, uint32_t number,
				 const uint64_t *counters,
				 const struct edges_residues *residues);

/* Of each block of a function with flags whether it ran. The caller frees it. */
uint64_t *corrected_flags(const struct plan *plan, const struct plan_function *function,
			  const uint64_t *counters,
			  const struct edges_residues *residues);

/* The same for the calls of a function, whatever was counted of it. */
uint64_t corrected_calls(const struct plan *plan, const struct plan_function *function,
			 const uint64_t *counters, const struct edges_residues *residues);

#endif
