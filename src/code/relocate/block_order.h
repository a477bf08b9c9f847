/*
 * Order of the blocks of a relocated function: hot blocks first, in the order of the
 * original, then cold ones, so that code that runs is dense.
 *
 * Source: Pettis and Hansen, Profile guided code positioning, PLDI 1990 (splitting of
 * procedures).
 */
#ifndef TRAMMEL_CODE_RELOCATE_BLOCK_ORDER_H
#define TRAMMEL_CODE_RELOCATE_BLOCK_ORDER_H

#include "code/relocate/whole.h"

/* Fills in `next` and `turned` of all blocks, by `cold`. The first block stays first. */
void block_order_choose(struct whole *whole);

#endif
