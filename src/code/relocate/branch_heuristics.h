/*
 * How likely the ways out of a condition are, as far as its instruction and where it
 * leads tell; what the shape of the graph tells is in flow/static_profile.c.
 */
#ifndef TRAMMEL_CODE_RELOCATE_BRANCH_HEURISTICS_H
#define TRAMMEL_CODE_RELOCATE_BRANCH_HEURISTICS_H

#include "code/relocate/cfg.h"

/* Against the other way out of the block; 1 if nothing is known. */
float branch_heuristics_share(const struct cfg *cfg, const struct cfg_edge *edge);

#endif
