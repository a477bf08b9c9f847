/*
 * Paths through a function: numbers for its acyclic paths, and on which edges a running
 * sum must be increased so that it is the path's number at the path's end.
 *
 * A path begins where the function is called, where other code enters it, or behind a
 * cut edge; it ends where the function is left, or at a cut edge. Cut are the back edges
 * of a depth-first search, so that loops (also irreducible ones) leave no cycle, and
 * edges that leave a node from which there would be too many paths. Of parallel edges
 * each is one of its own.
 *
 * Source: Ball and Larus, Efficient path profiling, MICRO-29 (1996). Numbers: the edges
 * that leave a node get the sum of the numbers of paths behind the edges before them, and
 * those with most paths come last. Increments: only edges off a spanning tree of the
 * greatest weight have one; those of beginnings and ends cost nothing, since something is
 * written there anyway. O(E log E), without recursion.
 */
#ifndef TRAMMEL_FLOW_PATHS_H
#define TRAMMEL_FLOW_PATHS_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

enum { PATHS_NONE = UINT32_MAX }; /* no node, no edge; as a target: out of the function */

/* An edge of a function. */
struct paths_way {
	uint32_t from, to; /* nodes; to: PATHS_NONE: it leaves the function */
	float weight;      /* expected passes: 0 or more */
	bool bare;         /* no code can be written there */
};

/* A function, whose node 0 is where it is called. */
struct paths_graph {
	uint32_t node_count;
	const bool *entered; /* by node: other code may enter it, too */
	const struct paths_way *ways;
	uint32_t way_count;
};

enum paths_kind {
	PATHS_PASS,  /* from node to node */
	PATHS_LEAVE, /* out of the function */
	PATHS_CUT,   /* a back edge: a path ends, and the next one begins at its target */
	PATHS_SPLIT, /* likewise, where there would be too many paths */
	PATHS_STOP,  /* nothing leaves the node */
	PATHS_BEGIN, /* a path's beginning at a node */
};

/* A step of paths. */
struct paths_step {
	uint32_t from, to; /* nodes; from: PATHS_NONE for PATHS_BEGIN, to: for ends */
	uint32_t way;      /* in the graph; PATHS_NONE: none */
	uint8_t kind;      /* enum paths_kind */
	uint64_t value;    /* a path's number is the sum of its steps' */
	int64_t increment; /* of the running sum; it is 0 before PATHS_BEGIN */
};

struct paths {
	uint64_t count; /* of paths: they have the numbers from 0 on */
	uint32_t node_count;
	struct VECTOR(struct paths_step) steps; /* by from, then by value */
	uint32_t *first;    /* by node: its first step; those of node_count, the
			       beginnings, are last */
	uint32_t *step_of;  /* by way: its step; PATHS_NONE: nothing leads there */
	uint32_t *begin_of; /* by node: its beginning; PATHS_NONE: no path begins there */
	int64_t *offsets;   /* by node: what the running sum is there more than the sum of
			       the values so far */
	int64_t *only;      /* by node: the sum of the values so far, where a single way
			       leads there from a beginning; else -1 */
};

/* Whether the next path begins where a step leads in the graph. */
static inline bool paths_goes_on(const struct paths_step *step)
{
	return step->kind == PATHS_CUT || step->kind == PATHS_SPLIT;
}

/* A path, or how far it came: steps in order. */
struct paths_walk VECTOR(uint32_t);

/*
 * Numbers the paths of a graph, at most `limit` of them (1 or more). False if that is not
 * possible: there are more edges than that, or edges that must carry an increment and
 * cannot; `ret_paths` is empty then. The caller deinits it.
 */
bool paths_init(struct paths *ret_paths, const struct paths_graph *graph, uint64_t limit);
void paths_deinit(struct paths *paths);

/* Sets the increments that follow from values and offsets: after a change of these. */
void paths_set_increments(struct paths *paths);

/* Finds the steps of the path with a number. False: there is no such path. */
bool paths_walk_of(const struct paths *paths, uint64_t number, struct paths_walk *walk);

/* Finds the steps of a path that came to a node with this running sum, up to that node.
 * False: no path comes there so. */
bool paths_walk_to(const struct paths *paths, uint32_t node, int64_t sum,
		   struct paths_walk *walk);

#endif
