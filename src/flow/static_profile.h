/*
 * Static profile: how often the edges of a graph are likely taken.
 */
#ifndef TRAMMEL_FLOW_STATIC_PROFILE_H
#define TRAMMEL_FLOW_STATIC_PROFILE_H

#include "flow/flow.h"

/*
 * Estimates the weights of all edges from the shape of the graph, for one entry of the
 * function: loops run ten times, blocks out of which only edges with FLOW_UNLIKELY lead
 * (or none) hardly ever. The same graph gets the same weights everywhere.
 *
 * shares: by edge, how likely it is against others that leave its node, by what is known
 *     beside the graph; 1 where nothing is. Not read where the graph tells of a loop. May
 *     be NULL: all are 1.
 */
void static_profile_estimate(const struct flow_graph *graph, const float *shares);

#endif
