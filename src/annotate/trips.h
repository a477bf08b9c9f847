/*
 * The loops of an annotated function, and how often they ran.
 */
#ifndef TRAMMEL_ANNOTATE_TRIPS_H
#define TRAMMEL_ANNOTATE_TRIPS_H

#include "annotate/routes.h"

enum { TRIP_NONE = UINT32_MAX }; /* no loop */

/* A loop: see flow/loops.h. */
struct trip {
	uint32_t header;  /* in annotation.blocks */
	uint32_t parent;  /* index of the enclosing loop in the list; TRIP_NONE: none */
	uint32_t depth;   /* loops that it is in, itself included: 1 or more */
	uint32_t blocks;  /* number of blocks, including inner loops */
	bool known;       /* `entries` is */
	uint64_t entries; /* from outside of the loop */
	uint64_t iterations;   /* times that its header was entered */
	uint64_t instructions; /* executed in it, with loops inside */
};

struct trips {
	struct VECTOR(struct trip) loops; /* a loop comes after the loops around it */
	uint32_t *innermost; /* by block: the innermost loop that it is in; TRIP_NONE */
	uint32_t irregular;  /* ways that close a cycle with several entries: no loop */
};

/* Finds the loops. The caller deinits the result. */
void trips_init(struct trips *trips, const struct annotation *annotation,
		const struct routes *routes);
void trips_deinit(struct trips *trips);

/* Adds a text such as "3 entries, 50 iterations (16.7 each)", and the loop's share of
 * the function's instructions. */
void trips_describe(const struct trip *trip, const struct annotation *annotation,
		    struct text *out);

/* Adds the numbers of a loop as members of a JSON object. */
void trips_add_json(const struct trips *trips, const struct trip *trip,
		    const struct annotation *annotation, struct text *out);

#endif
