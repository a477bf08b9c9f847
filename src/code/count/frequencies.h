/*
 * How often the blocks and edges of a module's functions ran in earlier runs, as far as
 * these told: of some nothing is known but that they ran. Counters are placed by that
 * where it is known (counter_placement_choose), and by an estimate elsewhere; and what
 * ran has its code in front of what did not. Whatever the numbers are, counts are the
 * same: only how often counters run, and where, depends on them.
 */
#ifndef TRAMMEL_CODE_COUNT_FREQUENCIES_H
#define TRAMMEL_CODE_COUNT_FREQUENCIES_H

#include "code/count/edges.h"

/* A function that ran, whose flow graph has this shape. Of its edges nothing is known if
 * it has none, and of its blocks likewise. */
struct frequencies_row {
	uint64_t address; /* link-time */
	uint32_t block_count, edge_count;
	uint64_t first; /* in `values`: of its blocks; those of its edges follow */
};

/* A number from 0 on as the upper half of a float, without its sign. */
typedef uint16_t frequency;

struct frequencies {
	struct VECTOR(
		struct frequencies_row) rows; /* by address; values in their order */
	struct VECTOR(frequency) values;
};

frequency frequency_of(float number);

/* At least 0, and far from the largest float, whatever the bits are. */
float frequency_number(frequency value);

/* What is known of a function. */
struct frequencies_known {
	const frequency *blocks, *edges; /* NULL: nothing, or in another shape */
};
struct frequencies_known frequencies_find(const struct frequencies *frequencies,
					  uint64_t address, uint32_t block_count,
					  uint32_t edge_count);

/* Whether a function ran; true of all if nothing is known of any. */
bool frequencies_know(const struct frequencies *frequencies, uint64_t address);

/* Adds a function that ran, behind all that have lower addresses; counts of blocks, or of
 * edges, may be NULL: they are not known. */
void frequencies_add(struct frequencies *frequencies,
		     const struct plan_function *function,
		     const struct edges_counts *counts);

/*
 * Adds up what is known and what one more run counted. What is known counts for less each
 * time, so that what ran long ago is forgotten. Of a function in two shapes the newer one
 * is taken, unless it says less. The caller deinits the result.
 */
void frequencies_merge(const struct frequencies *known, const struct frequencies *run,
		       struct frequencies *ret_sum);

/* Whether these are rows in order whose values are all there: of what comes from a file.
 */
bool frequencies_are_sound(const struct frequencies *frequencies);

void frequencies_deinit(struct frequencies *frequencies);

/* What the counters of a function cost, and what they would where they run least. */
struct frequencies_cost {
	double spent, least; /* 1: one increment */
};

/* Adds the costs of a function of a plan, that has plan_function.edge_count, of whose
 * blocks and edges all is known. */
void frequencies_weigh(const struct plan *plan, const struct plan_function *function,
		       struct frequencies_known known, struct frequencies_cost *cost);

#endif
