/* What the probes of call graphs take themselves: gates, probes at returns and the
 * resident's code are run here, with a bank of our own. */
#ifndef TRAMMEL_COLLECT_CALLGRAPH_COST_H
#define TRAMMEL_COLLECT_CALLGRAPH_COST_H

#include "session/state/session.h"

struct profile_writer;

/* Measures what probes take here; all 0 where that cannot be. */
void callgraph_find_cost(struct callgraph_cost *ret_cost);

/* Measures what probes take, for a profile that is being written: saving.graph_cost. */
void callgraph_find_costs(struct profile_writer *writer);

#endif
