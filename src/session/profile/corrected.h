/*
 * Corrected counts of calls and blocks that threads were in the middle of when counting
 * began or ended.
 */
#ifndef TRAMMEL_SESSION_PROFILE_CORRECTED_H
#define TRAMMEL_SESSION_PROFILE_CORRECTED_H

#include "code/count/edges.h"

/* Number of times a block was entered, and the excess of that over the times it was
 * left, as far as known. */
struct corrected {
	uint64_t count;
	int64_t stayed;
};

/* Returns the corrected counts of block `number`, from the counters of all slots and
 * the residues of the module; `residues` NULL: counters are complete. Not for
 * functions whose edges were counted (see edges_solve), nor for flags. */
struct corrected corrected_block(const struct plan *plan,
				 const struct plan_function *function, uint32_t number,
				 const uint64_t *counters,
				 const struct edges_residues *residues);

/* Returns for each block of a function with flags whether it ran. The caller frees the
 * array. */
uint64_t *corrected_flags(const struct plan *plan, const struct plan_function *function,
			  const uint64_t *counters,
			  const struct edges_residues *residues);

/* Returns the corrected number of calls of a function, whatever was counted in it. */
uint64_t corrected_calls(const struct plan *plan, const struct plan_function *function,
			 const uint64_t *counters, const struct edges_residues *residues);

#endif
