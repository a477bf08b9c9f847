/*
 * The loops of all functions of a profile: see annotate/trips.h.
 */
#ifndef TRAMMEL_DERIVE_LOOPS_H
#define TRAMMEL_DERIVE_LOOPS_H

#include "derive/walk.h"

enum loops_sort {
	LOOPS_SORT_INSTRUCTIONS,
	LOOPS_SORT_ITERATIONS,
	LOOPS_SORT_TRIPS,
	LOOPS_SORT_NAME
};

struct loop_row {
	const struct report_function *function;
	uint64_t header, parent; /* addresses; parent 0: no enclosing loop */
	uint32_t depth, blocks;
	bool known; /* `entries` is */
	uint64_t entries, iterations, instructions;
};

struct loop_list {
	const struct report_profile *profile;
	struct VECTOR(struct loop_row) rows; /* executed ones */
	size_t without;   /* functions with block counts, but without a graph */
	size_t irregular; /* edges that close a cycle that is not a loop */
	size_t uncounted; /* functions: see struct walk */
	struct walk_troubles troubles;
};

/* Finds the loops that ran in the selection of a profile, which must outlive the
 * result. `functions`: glob for names; NULL: all. The caller deinits it. */
void loop_list_init(struct loop_list *list, const struct report_profile *profile,
		    const char *functions, enum loops_sort sort);
void loop_list_deinit(struct loop_list *list);

/* Adds the table as text, or as one JSON object: see man/trammel-loops.1.md. */
void loop_list_text(const struct loop_list *list, const struct walk_options *options,
		    struct text *out);
void loop_list_json(const struct loop_list *list, struct text *out);

#endif
