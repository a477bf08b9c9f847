/*
 * Counts of edges by peeling the graph from its leaves: the common case, and fast.
 */
#ifndef TRAMMEL_CODE_COUNT_EDGES_PEEL_H
#define TRAMMEL_CODE_COUNT_EDGES_PEEL_H

#include "code/count/edges.h"

/*
 * Computes the counts as edges_solve does, several times faster, without residues and for
 * counters of usual size. The caller deinits the result. False, with nothing written, if
 * edges_solve is needed.
 */
bool edges_peel(const struct plan *plan, const struct plan_function *function,
		const uint64_t *counters, struct edges_counts *ret_counts);

#endif
