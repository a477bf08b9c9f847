/*
 * Static profile: estimates of how often the edges of a graph are taken.
 */
#ifndef TRAMMEL_FLOW_STATIC_PROFILE_H
#define TRAMMEL_FLOW_STATIC_PROFILE_H

#include "flow/flow.h"

/*
 * Estimates the weights of all edges from the shape of the graph, for one entry of the
 * function: loops run ten times; blocks that only edges with FLOW_UNLIKELY leave (or
 * none) rarely run. Equal graphs get equal weights on every machine.
 *
 * shares: by edge, its likelihood relative to the other edges that leave its node, from
 *     knowledge beside the graph; 1 if nothing is known. Not read where the graph shows a
 *     loop. May be NULL: all are 1.
 */
void static_profile_estimate(const struct flow_graph *graph, const float *shares);

#endif
