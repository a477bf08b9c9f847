/*
 * How often the nodes of a graph are visited, from how likely each way out of them is:
 * the linear equations of a Markov chain whose end is node 0, solved by eliminating
 * nodes, those with few neighbours first. Graphs of structured programs get few new edges
 * by that, and what is done is found out once for all probabilities of a graph.
 *
 * Source: Ramalingam, Data flow frequency analysis, PLDI 1996 (flow equations by
 * elimination); Markowitz, The elimination form of the inverse, Management Science 3
 * (1957) (which first).
 */
#ifndef TRAMMEL_FLOW_VISITS_H
#define TRAMMEL_FLOW_VISITS_H

#include "flow/graph.h"

#include <stddef.h>

struct visits;

/* Prepares a graph, which need not be kept. `limit`: operations of a solution at most,
 * some for each edge; NULL if it would take more. The caller destroys the result. */
struct visits *visits_create(const struct flow_graph *graph, size_t limit);
void visits_destroy(struct visits *visits);

/* Says how likely the edges of the graph are, by their numbers: those that leave a node
 * add up to 1. Those that leave node 0 are not read. */
void visits_set(struct visits *visits, const double *probabilities);

/* Writes, by node, how often it is visited if the walks that begin there are `begun`, by
 * node, each until it comes to node 0; those of node 0 are 0. */
void visits_solve(struct visits *visits, const double *begun, double *ret_visits);

/* Writes, by node, what a walk from there gains until it comes to node 0 if each visit of
 * a node gains `gains`. */
void visits_gain(struct visits *visits, const double *gains, double *ret_gains);

#endif
