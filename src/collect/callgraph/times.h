/* Corrected times of contexts, from the times in banks. */
#ifndef TRAMMEL_COLLECT_CALLGRAPH_TIMES_H
#define TRAMMEL_COLLECT_CALLGRAPH_TIMES_H

#include "session/state/session.h"

/* Subtracts the cost of probes from the times of all contexts, and moves an estimated
 * part of their caller's time, from calls that were timed, to calls that were not. */
void callgraph_correct(const struct image_graph *graph, struct image_context_sums *sums,
		       const struct callgraph_cost *cost);

#endif
