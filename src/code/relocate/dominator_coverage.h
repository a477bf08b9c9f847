/*
 * Blocks that need no flag: whether they were executed follows from blocks that are
 * executed only behind them.
 *
 * A block without calls goes on to one of its successors, and a thread in a block has
 * passed all blocks that dominate it. So a block that dominates all its successors was
 * executed if one of them was: it needs no flag. Source: Agrawal, Dominators, super
 * blocks, and program coverage, POPL 1994; here without postdominators, so that nothing
 * is concluded about later blocks, which may never run: a signal may end the process.
 *
 * A return from a call counts as an entry from outside: a child of fork(2) begins there,
 * and did not execute the code in front. So does a loop, if counting may begin while it
 * runs (`in_parts`).
 */
#ifndef TRAMMEL_CODE_RELOCATE_DOMINATOR_COVERAGE_H
#define TRAMMEL_CODE_RELOCATE_DOMINATOR_COVERAGE_H

#include "code/relocate/block_sums.h"

#include <stdbool.h>

/*
 * Chooses blocks that need no flag, as block_sums_choose does for counters. The terms of
 * a block are its successors, which may have terms themselves: at most
 * DOMINATOR_COVERAGE_DEPTH_MAX blocks on the path to one with a flag.
 */
enum { DOMINATOR_COVERAGE_DEPTH_MAX = 64 };
void dominator_coverage_choose(struct block_sums *sums, const struct cfg *cfg,
			       bool in_parts);

#endif
