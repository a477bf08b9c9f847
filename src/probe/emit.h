/* Writing the code of probes: the second half of a point source. */
#ifndef TRAMMEL_PROBE_EMIT_H
#define TRAMMEL_PROBE_EMIT_H

#include "code/points/points.h"
#include "code/points/recipe.h"

/* A member of struct point_source; `context` is a struct probe_module. */
void probe_source_emit(void *context, const struct point_function *function,
		       const struct point *point, struct recipe *recipe);

#endif
