/*
 * Collectors: what a measurement puts into the program, and how its counters become
 * records. Adding one: a folder with its file, and a row in collect.c.
 */
#ifndef TRAMMEL_COLLECT_COLLECT_H
#define TRAMMEL_COLLECT_COLLECT_H

#include "code/plan/plan.h"
#include "code/plan/request.h"

struct collector {
	const char *name;    /* as -m has it */
	const char *summary; /* one line for help */
	enum plan_probe probe;
	enum plan_depth depth; /* where probes are */
	bool covers;           /* of counts it is only kept that they are not 0 */
	bool edges;            /* counts of edges are kept, too */
	bool calls;         /* calls are counted by their sites: see code/calls/gates.h */
	bool graph;         /* the same by their contexts, with time */
	bool pbo;           /* what compilers read is written beside the profile */
	bool regions;       /* the program's own context is recorded */
	bool trace;         /* and each event of it */
	bool mpi;           /* and calls of MPI functions */
	bool openmp;        /* and what OpenMP's run-time library tells */
	bool spans;         /* calls of chosen functions are regions, too */
	bool spans_alone;   /* and nothing is counted */
	uint32_t slot_size; /* bytes a counter takes in a bank; 0: nothing is counted */
};

extern const struct collector collector_functions;
extern const struct collector collector_coverage;
extern const struct collector collector_blocks;
extern const struct collector collector_calls;
extern const struct collector collector_callgraph;
extern const struct collector collector_block_coverage;
extern const struct collector collector_pbo;
extern const struct collector collector_edges;
extern const struct collector collector_regions;
extern const struct collector collector_trace;
extern const struct collector collector_mpi;
extern const struct collector collector_openmp;

/* The collector of this name; the error names the nearest. */
struct trm_error *collector_find(const char *name,
				 const struct collector **ret_collector);

/* What a list of names, separated by commas, measures together; its name is `list`, which
 * must outlive it. */
struct trm_error *collector_combine(const char *list, struct collector *ret_collector);

/* Functions become regions: see code/calls/spans.h. What counts functions alone has
 * blocks then. */
void collector_add_spans(struct collector *collector);

/* All of them, NULL at the end. */
extern const struct collector *const collectors[];

#endif
