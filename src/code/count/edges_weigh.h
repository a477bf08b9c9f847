/*
 * Weights of slots in executed instructions.
 */
#ifndef TRAMMEL_CODE_COUNT_EDGES_WEIGH_H
#define TRAMMEL_CODE_COUNT_EDGES_WEIGH_H

#include "code/count/edges.h"

/*
 * Adds to the weight of each slot the number of instructions of the function that one
 * count stands for, so that the sum of weight * counter over all slots is the number of
 * executed instructions (residues apart). A weight can be negative: what it counts keeps
 * other code from being executed. The function must have plan_function.edge_count.
 */
void edges_weigh(const struct plan *plan, const struct plan_function *function,
		 int64_t *weights);

#endif
