/*
 * What one count of each slot stands for, in instructions.
 */
#ifndef TRAMMEL_CODE_COUNT_EDGES_WEIGH_H
#define TRAMMEL_CODE_COUNT_EDGES_WEIGH_H

#include "code/count/edges.h"

/*
 * Adds to the weight of each slot how many instructions of the function one count stands
 * for, so that the sum over all slots of weight * counter is what was executed (residues
 * apart). A weight can be negative: what it counts keeps others from being executed.
 * Of a function that has plan_function.edge_count.
 */
void edges_weigh(const struct plan *plan, const struct plan_function *function,
		 int64_t *weights);

#endif
