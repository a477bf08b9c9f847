/* Estimates counts for all routes of a function, for compilers, which prefer a likely
 * number to none. */
#ifndef TRAMMEL_DERIVE_ESTIMATE_H
#define TRAMMEL_DERIVE_ESTIMATE_H

#include "annotate/routes.h"

/* Gives each route of unknown count an estimate: it assumes that each call returned
 * once, and otherwise divides the executions of a block evenly among its open ways
 * out. Known counts stay unchanged. */
void estimate_routes(struct routes *routes, const struct annotation *annotation);

#endif
