/*
 * Block and edge counts of a module's functions in earlier runs, as far as they are
 * known; of some functions it is only known that they ran. Counters are placed by these
 * counts (counter_placement_choose), or by an estimate where there are none; and code
 * that ran lies in front of code that did not. Measured counts do not depend on them,
 * only how often counters run, and where.
 */
#ifndef TRAMMEL_CODE_COUNT_FREQUENCIES_H
#define TRAMMEL_CODE_COUNT_FREQUENCIES_H

#include "code/count/edges.h"

/* A function that ran, with the shape of its flow graph. Counts of edges are unknown if
 * it has none, and counts of blocks likewise. */
struct frequencies_row {
	uint64_t address; /* link-time */
	uint32_t block_count, edge_count;
	uint64_t first; /* index in `values` of its blocks; its edges follow */
};

/* A number from 0 on, as the upper half of a float without its sign. */
typedef uint16_t frequency;

struct frequencies {
	struct VECTOR(
		struct frequencies_row) rows; /* by address; values in the same order */
	struct VECTOR(frequency) values;
};

frequency frequency_of(float number);

/* Decodes a frequency: at least 0 and far below the largest float, whatever the bits are.
 */
float frequency_number(frequency value);

/* The known frequencies of a function. */
struct frequencies_known {
	const frequency *blocks, *edges; /* NULL: unknown, or of another shape */
};
struct frequencies_known frequencies_find(const struct frequencies *frequencies,
					  uint64_t address, uint32_t block_count,
					  uint32_t edge_count);

/* Whether a function ran; true for all if nothing is known of any. */
bool frequencies_know(const struct frequencies *frequencies, uint64_t address);

/* Appends a function that ran; addresses must ascend. Counts of blocks or edges may be
 * NULL: unknown. */
void frequencies_add(struct frequencies *frequencies,
		     const struct plan_function *function,
		     const struct edges_counts *counts);

/*
 * Adds the counts of one more run to the known ones. Known counts weigh less each time,
 * so that old runs are forgotten. Of a function in two shapes the newer is taken, unless
 * it says less. The caller deinits the result.
 */
void frequencies_merge(const struct frequencies *known, const struct frequencies *run,
		       struct frequencies *ret_sum);

/* Whether rows read from a file are sorted and all their values are present. */
bool frequencies_are_sound(const struct frequencies *frequencies);

void frequencies_deinit(struct frequencies *frequencies);

/* Cost of the counters of a function, and the least possible. */
struct frequencies_cost {
	double spent, least; /* 1 is one increment */
};

/* Adds the costs of a function that has plan_function.edge_count and all of whose
 * frequencies are known. */
void frequencies_weigh(const struct plan *plan, const struct plan_function *function,
		       struct frequencies_known known, struct frequencies_cost *cost);

#endif
