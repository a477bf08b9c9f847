/*
 * The paths that a profile counted (trammel run -m paths): those that ran most, with the
 * blocks, the lines of the source and the instructions that they lead through.
 */
#ifndef TRAMMEL_DERIVE_HOT_PATHS_H
#define TRAMMEL_DERIVE_HOT_PATHS_H

#include "annotate/annotation.h"
#include "base/text.h"
#include "base/vector.h"
#include "derive/walk.h"
#include "report/profile.h"

struct hot_path {
	const struct report_path *path; /* one of those that are added up */
	const struct report_function *function;
	uint64_t count;
	uint64_t executed; /* instructions, on the path as often as it was taken */
};

/* Functions whose paths were not counted, for one reason. */
struct hot_paths_bar {
	const char *reason;
	size_t functions;
};

struct hot_paths {
	const struct report_profile *profile;
	struct VECTOR(struct hot_path) rows; /* those with most instructions first */
	size_t functions;                    /* that have any */
	size_t without; /* executed ones whose edges, or calls, were counted instead */
	size_t split;   /* that have too many paths, so that some edges are cut */
	uint64_t left;  /* beginnings of paths that were left in a call */
	struct VECTOR(struct hot_paths_bar) bars; /* those with most functions first */
	uint64_t executed;                        /* sum of the rows' */
	/* Those of hot_paths_choose that were never taken. */
	struct VECTOR(struct report_path *) made;
	struct VECTOR(char *) texts;
};

/* Finds the paths of the selected part of a profile, which must outlive the result.
 * `functions`: glob for names; NULL: all. The caller deinits it. */
void hot_paths_init(struct hot_paths *paths, const struct report_profile *profile,
		    const char *functions);
void hot_paths_deinit(struct hot_paths *paths);

/* Leaves only the path with a number of each function, also of one that never took it;
 * false: none has one. `functions`: as for hot_paths_init. */
bool hot_paths_choose(struct hot_paths *paths, const char *functions, uint64_t number);

#endif
