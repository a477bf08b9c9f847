/*
 * Flags that are not needed: whether a block was executed follows from others, which are
 * executed only behind it.
 *
 * A block without calls goes on to one of its successors, and whoever gets to a block has
 * come by all that dominate it. So where a block dominates all its successors it was
 * executed if one of them was: it needs no flag. Source: Agrawal, Dominators, super
 * blocks, and program coverage, POPL 1994; here without postdominators, so that nothing
 * is said of what comes later, which might be never: a signal may end it all.
 *
 * What comes back from a call counts as entered from outside: a child of fork(2) begins
 * there, and did not execute what is in front. So does a loop, where counting may begin
 * while it runs (`in_parts`).
 */
#ifndef TRAMMEL_CODE_RELOCATE_DOMINATOR_COVERAGE_H
#define TRAMMEL_CODE_RELOCATE_DOMINATOR_COVERAGE_H

#include "code/relocate/block_sums.h"

#include <stdbool.h>

/*
 * As block_sums_choose, for flags. Terms are the block's successors, which may have terms
 * themselves: at most DOMINATOR_COVERAGE_DEPTH_MAX blocks on the way to one with a flag.
 */
enum { DOMINATOR_COVERAGE_DEPTH_MAX = 64 };
void dominator_coverage_choose(struct block_sums *sums, const struct cfg *cfg,
			       bool in_parts);

#endif
