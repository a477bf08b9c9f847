/*
 * Likelihood of the two edges out of a conditional branch, by the branch and its targets
 * alone; flow/static_profile.c uses the shape of the graph.
 */
#ifndef TRAMMEL_CODE_RELOCATE_BRANCH_HEURISTICS_H
#define TRAMMEL_CODE_RELOCATE_BRANCH_HEURISTICS_H

#include "code/relocate/cfg.h"

/* The likelihood of an edge relative to the other edge out of its block; 1 if nothing is
 * known. */
float branch_heuristics_share(const struct cfg *cfg, const struct cfg_edge *edge);

#endif
