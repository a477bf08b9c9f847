/*
 * The frequencies of a function's blocks that make its samples likely: those that
 * conserve flow, and under which the samples of each block are as many as its cost says.
 *
 * A block's samples are Poisson's, of a cost that is uncertain by a factor (together a
 * negative binomial distribution). Branches are taken to go mostly one way: of two
 * explanations the one with fewer blocks that seldom run is the likelier. Found by
 * descent over the branches' probabilities, from equal ones; frequencies follow from
 * these.
 *
 * Sources: Anderson et al., Continuous profiling, ACM TOCS 15 (1997), whose estimates of
 * classes of blocks are made to agree afterwards; Levin, Newman and Haber, Complementing
 * missing and inaccurate profiling using a minimum cost circulation algorithm, HiPEAC
 * 2008 (flow as the constraint that mends samples).
 */
#ifndef TRAMMEL_DERIVE_LIKELY_FLOW_H
#define TRAMMEL_DERIVE_LIKELY_FLOW_H

#include "flow/graph.h"

/* What is known of a node. */
struct likely_node {
	double samples;
	double cost; /* samples of one visit that are expected */
};

/* Writes, by node, how often it is visited. `nodes`: by node; node 0 is outside, and what
 * it has is not read. Edges must not be parallel. False, and nothing is written: the
 * graph is too tangled. */
bool likely_flow(const struct flow_graph *graph, const struct likely_node *nodes,
		 double *ret_visits);

#endif
