/*
 * Counts of edges by peeling the graph from its leaves: the usual case, and fast.
 */
#ifndef TRAMMEL_CODE_COUNT_EDGES_PEEL_H
#define TRAMMEL_CODE_COUNT_EDGES_PEEL_H

#include "code/count/edges.h"

/*
 * The same without residues, for counters of the usual size, several times as quickly.
 * The caller deinits the result. False, and nothing is written: edges_solve has the
 * answer.
 */
bool edges_peel(const struct plan *plan, const struct plan_function *function,
		const uint64_t *counters, struct edges_counts *ret_counts);

#endif
