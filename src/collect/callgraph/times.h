/* The times of contexts, of what banks have of them. */
#ifndef TRAMMEL_COLLECT_CALLGRAPH_TIMES_H
#define TRAMMEL_COLLECT_CALLGRAPH_TIMES_H

#include "session/state/session.h"

/* Takes what probes took out of the times of all contexts, and gives calls that were not
 * timed, by those that were, their part of the time of calls around them. */
void callgraph_correct(const struct image_graph *graph, struct image_context_sums *sums,
		       const struct callgraph_cost *cost);

#endif
