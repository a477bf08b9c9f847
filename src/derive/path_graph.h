/*
 * All paths of a function, as a profile has them (path.steps of docs/profile.md): what
 * the steps are, and which way a path leads, also one that was never taken.
 */
#ifndef TRAMMEL_DERIVE_PATH_GRAPH_H
#define TRAMMEL_DERIVE_PATH_GRAPH_H

#include "base/text.h"
#include "base/vector.h"
#include "report/profile.h"

#define PATH_GRAPH_NONE UINT64_MAX /* no block */

/* A step from block to block; blocks are distances from the function. */
struct path_graph_step {
	uint64_t from; /* PATH_GRAPH_NONE: a path begins */
	uint64_t to;   /* PATH_GRAPH_NONE: out of the function, or nowhere */
	char sign;     /* '>'; '^' a back edge, '/' an edge that is cut, '!' nowhere */
	uint64_t value;
	int64_t increment;
};

struct path_graph {
	const struct report_path_graph *row;
	struct VECTOR(struct path_graph_step) steps; /* by from, then by value */
};

/* The graph of the function, or cold part, at an address; NULL: the profile has none. */
const struct report_path_graph *path_graph_find(const struct report_profile *profile,
						uint32_t function, uint64_t part);

/* Reads a graph. False: its text is no graph; it is empty then. The caller deinits it. */
bool path_graph_init(struct path_graph *graph, const struct report_path_graph *row);
void path_graph_deinit(struct path_graph *graph);

/* Adds the blocks of the path with a number, as report_path.blocks has them. Returns how
 * it ends, as report_path.end does; NULL: there is no such path. */
const char *path_graph_walk(const struct path_graph *graph, uint64_t number,
			    struct text *ret_blocks);

/* The first block behind an address that is one of the graph; PATH_GRAPH_NONE: none. */
uint64_t path_graph_next(const struct path_graph *graph, uint64_t block);

#endif
