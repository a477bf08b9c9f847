/*
 * The control-flow graph of a function with its cold parts, to be shown.
 */
#ifndef TRAMMEL_ANNOTATE_GRAPH_H
#define TRAMMEL_ANNOTATE_GRAPH_H

#include "annotate/routes.h"

struct graph_node {
	uint64_t address; /* of a block */
	uint32_t size;    /* bytes */
	uint32_t instructions;
	uint64_t count;
	uint32_t part; /* 0: the function's own code; 1 and more: its cold parts */
};

struct graph {
	const struct report_function *function;
	const struct report_module *module;
	bool counted; /* as in struct annotation */
	struct VECTOR(struct graph_node) nodes;
	struct routes routes; /* between nodes; the call of the function first */
};

/* Makes the graph of an annotated function, and moves the annotation on to its last
 * part. Error (TRM_ERROR_UNSUPPORTED): the function has no graph. The caller deinits
 * the graph. */
struct trm_error *graph_init(struct graph *graph, struct annotation *annotation);
void graph_deinit(struct graph *graph);

#endif
