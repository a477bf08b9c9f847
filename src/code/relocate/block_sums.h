/*
 * Blocks that need no counter: as many threads leave a block as enter it, so that one
 * count is the sum of others. A local form of flow/flow.h, which does this for whole
 * functions: here calls in the middle of a block may never return, so only blocks without
 * calls take part, and a count is the sum over the block's successors or over its
 * predecessors alone. Source: Knuth and Stevenson, see flow/flow.h.
 */
#ifndef TRAMMEL_CODE_RELOCATE_BLOCK_SUMS_H
#define TRAMMEL_CODE_RELOCATE_BLOCK_SUMS_H

#include "base/vector.h"
#include "code/relocate/cfg.h"

enum { BLOCK_SUMS_TERMS_MAX = 16 };

struct block_sum {
	uint32_t first, count; /* in sums.terms; 0: the block needs a counter */
};

struct block_sums {
	struct VECTOR(struct block_sum) blocks; /* by block */
	struct VECTOR(uint32_t) terms;          /* blocks that have counters */
	/* Scratch: */
	struct VECTOR(uint32_t) depths, order, preds, first_pred;
	struct VECTOR(uint8_t) states;
};

/*
 * Chooses the blocks that need no counter, those in loops first. Storage is reused for
 * the next function (all-zero at first).
 */
void block_sums_choose(struct block_sums *sums, const struct cfg *cfg);
/* Gives each block a counter. */
void block_sums_choose_none(struct block_sums *sums, const struct cfg *cfg);
void block_sums_deinit(struct block_sums *sums);

#endif
