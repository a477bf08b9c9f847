/* Cost of the probes of call graphs: gates, probes at returns and the resident's code are
 * run here, in the tracer, with a bank of its own. */
#ifndef TRAMMEL_COLLECT_CALLGRAPH_COST_H
#define TRAMMEL_COLLECT_CALLGRAPH_COST_H

#include "session/state/session.h"

struct profile_writer;

/* Measures the cost of probes on this machine; all 0 if that is not possible. */
void callgraph_find_cost(struct callgraph_cost *ret_cost);

/* Measures the cost of probes for the profile that `writer` writes: saving.graph_cost. */
void callgraph_find_costs(struct profile_writer *writer);

#endif
