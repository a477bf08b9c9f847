/*
 * The control flow of an annotated function: its blocks, the ways between them, and how
 * often each way was taken, as far as that follows from the counts of the blocks.
 */
#ifndef TRAMMEL_ANNOTATE_ROUTES_H
#define TRAMMEL_ANNOTATE_ROUTES_H

#include "annotate/annotation.h"

enum { ROUTE_OUTSIDE = UINT32_MAX }; /* as a block's number: not of the function */

/* A route from one block to another; all edges between the two are one route. */
struct route {
	uint32_t from, to; /* in annotation.blocks */
	const char *kind;  /* how it goes: "call", "enter" (a cold part), "jump", "next",
			      "switch", "leave" */
	bool known;        /* `count` is */
	uint64_t count;
};

struct routes VECTOR(struct route); /* the call of the function first, then by `from` */

/* Finds the routes of a function. With measured edges, their counts are known.
 * Otherwise they follow from the block counts: executions of a block must have come by
 * a route, unless the block can be reached in another way; and executions of a block
 * without calls and system calls go on by a route. If all routes of a side but one are
 * known, so is the last. Error (TRM_ERROR_UNSUPPORTED): the function has no graph. The
 * caller deinits the list. */
struct trm_error *routes_init(struct routes *routes, const struct annotation *annotation);

#endif
