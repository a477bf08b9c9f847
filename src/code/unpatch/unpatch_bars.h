/*
 * Which blocks must not run in the original while its pages are written.
 */
#ifndef TRAMMEL_CODE_UNPATCH_UNPATCH_BARS_H
#define TRAMMEL_CODE_UNPATCH_UNPATCH_BARS_H

#include "code/unpatch/unpatching.h"

/* Pages are written from the first on; or those first that would keep switches from
 * running at home, if fewer blocks stay away then. Which blocks are barred in that order
 * is found, and some of those that are kept. */
void unpatching_choose_order(struct unpatching *unpatching);

#endif
