/*
 * Blocks that must not run in the original while its pages are written.
 */
#ifndef TRAMMEL_CODE_UNPATCH_UNPATCH_BARS_H
#define TRAMMEL_CODE_UNPATCH_UNPATCH_BARS_H

#include "code/unpatch/unpatching.h"

/* Chooses the order of pages: ascending; or with those first that would keep switches
 * from running unpatched, if fewer blocks are excluded then. Finds the blocks barred in
 * that order, and some of those kept. */
void unpatching_choose_order(struct unpatching *unpatching);

#endif
