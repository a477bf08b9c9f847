/*
 * Counts of the paths of functions of a plan, and of all their blocks and edges, which
 * follow from them. Edges of the plan are the ways of flow/paths.h, blocks its nodes.
 * What a path's probes write is in code/emit/path_probe.h; `first_term` of a block
 * without terms is its offset (struct paths).
 *
 * A path that is not at its end (a call that does not come back, the end of counting) is
 * known as a residue with a block and a running sum.
 */
#ifndef TRAMMEL_CODE_COUNT_PATH_COUNTS_H
#define TRAMMEL_CODE_COUNT_PATH_COUNTS_H

#include "code/count/edges.h"
#include "flow/paths.h"

/* The greatest number of a function's paths: each has a counter in each thread. Where
 * there are more, edges are cut (flow/paths.h). */
enum { PATH_COUNTS_LIMIT = 4096 };

/* The graph of a function of a plan that has its rows of blocks and edges; weights are
 * `passes`, by edge; NULL: all 0. `bare`: by edge; NULL: all can have probes. The caller
 * deinits the result. False: see paths_init. */
bool path_counts_number(const struct plan *plan, const struct plan_function *function,
			const float *passes, const bool *bare, struct paths *ret_paths);

/* The paths of a function with plan_function.paths, or of one block; path_counts_free
 * frees them. */
bool path_counts_paths(const struct plan *plan, const struct plan_function *function,
		       struct paths *ret_paths);

void path_counts_free(struct paths *paths);

/* A path, or the beginning of one. */
struct path_count {
	uint64_t number; /* of the path; of a beginning that of the first path with it */
	uint32_t end;    /* the block in which it was left; PATHS_NONE: it is whole */
	int64_t count;
};
struct path_list VECTOR(struct path_count);

/* Lists the paths of a function that were taken, by number, whole ones first. `counters`
 * are of all slots, `residues` of the module; NULL: none. */
void path_counts_list(const struct plan *plan, const struct plan_function *function,
		      const struct paths *paths, const uint64_t *counters,
		      const struct edges_residues *residues, struct path_list *ret_list);

/* Finds the steps of a path, or of a beginning up to its end. False: there is none. */
bool path_counts_walk(const struct paths *paths, const struct path_count *path,
		      struct paths_walk *walk);

/* Does what edges_solve does. */
bool path_counts_solve(const struct plan *plan, const struct plan_function *function,
		       const uint64_t *counters, const struct edges_residues *residues,
		       struct edges_counts *ret_counts, uint32_t *ret_fault);

#endif
