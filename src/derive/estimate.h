/*
 * Counts for all routes of a function, for those who would rather have a likely number
 * than none: compilers.
 */
#ifndef TRAMMEL_DERIVE_ESTIMATE_H
#define TRAMMEL_DERIVE_ESTIMATE_H

#include "annotate/routes.h"

/*
 * Gives the routes that are not known a count: as if each call came back once, and else
 * so that what enters a block is divided evenly among the ways on that are open. Known
 * ones stay as they are.
 */
void estimate_routes(struct routes *routes, const struct annotation *annotation);

#endif
