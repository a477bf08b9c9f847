/*
 * Counters that are not needed: what enters a block leaves it, so that the count of one
 * is the sum of those of others. The local form of what flow/flow.h does for whole
 * functions: here calls in the middle of a block may never return, so only blocks without
 * any take part, and a block is summed up from its successors, or from its predecessors,
 * alone. Source: Knuth and Stevenson, see flow/flow.h.
 */
#ifndef TRAMMEL_CODE_RELOCATE_BLOCK_SUMS_H
#define TRAMMEL_CODE_RELOCATE_BLOCK_SUMS_H

#include "base/vector.h"
#include "code/relocate/cfg.h"

enum { SUMS_TERMS_MAX = 16 };

struct sum {
	uint32_t first, count; /* in sums.terms; 0: the block needs a counter */
};

struct sums {
	struct VECTOR(struct sum) blocks; /* by block */
	struct VECTOR(uint32_t) terms;    /* blocks that have counters */
	/* Scratch: */
	struct VECTOR(uint32_t) depths, order, preds, first_pred;
	struct VECTOR(uint8_t) states;
};

/*
 * Chooses which blocks need no counter, those in loops first. Storage is used again for
 * the next function (all-zero at first).
 */
void sums_choose(struct sums *sums, const struct cfg *cfg);
/* Gives each block a counter. */
void sums_choose_none(struct sums *sums, const struct cfg *cfg);
void sums_deinit(struct sums *sums);

#endif
