/*
 * Collectors: which probes a measurement puts into the program, and how its counters
 * become records. To add one: a folder with its file, and a row in collect.c.
 */
#ifndef TRAMMEL_COLLECT_COLLECT_H
#define TRAMMEL_COLLECT_COLLECT_H

#include "code/plan/plan.h"
#include "code/plan/request.h"

struct collector {
	const char *name;    /* as in -m */
	const char *summary; /* one line for help */
	enum plan_probe probe;
	enum plan_depth depth; /* which points get probes */
	bool covers;           /* of a count it is kept only whether it is 0 */
	bool edges;            /* edges are counted, too */
	bool calls;   /* calls are counted by their call sites: see code/calls/gates.h */
	bool graph;   /* calls are counted by their contexts, with times */
	bool pbo;     /* also writes profiles for compilers beside the profile */
	bool regions; /* the program's own context is recorded */
	bool trace;   /* each event of the context is recorded, too */
	bool mpi;     /* calls of MPI functions are recorded, too */
	bool openmp;  /* events of OpenMP's run-time library are recorded, too */
	bool spans;   /* calls of chosen functions are regions, too */
	bool spans_alone;   /* only spans: nothing is counted */
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

/* Finds the collector with this name; the error suggests the nearest name. */
struct trm_error *collector_find(const char *name,
				 const struct collector **ret_collector);

/* Combines the collectors of a comma-separated list into `ret_collector`. `list` becomes
 * its name and must outlive it. */
struct trm_error *collector_combine(const char *list, struct collector *ret_collector);

/* Makes calls of functions regions: see code/calls/spans.h. A collector that counts
 * functions alone then has blocks. */
void collector_add_spans(struct collector *collector);

/* All collectors, with NULL at the end. */
extern const struct collector *const collectors[];

#endif
