/*
 * The list of measurements. To add one: a folder with its `struct collector`
 * (session/options/collector.h), a line here, and a line in collect.c.
 */
#ifndef TRAMMEL_COLLECT_COLLECT_H
#define TRAMMEL_COLLECT_COLLECT_H

#include "base/error.h"
#include "session/options/collector.h"

extern const struct collector collector_functions;
extern const struct collector collector_coverage;
extern const struct collector collector_blocks;
extern const struct collector collector_calls;
extern const struct collector collector_callgraph;
extern const struct collector collector_memory;
extern const struct collector collector_returns;
extern const struct collector collector_block_coverage;
extern const struct collector collector_pbo;
extern const struct collector collector_edges;
extern const struct collector collector_paths;
extern const struct collector collector_samples;
extern const struct collector collector_samples_callpath;
extern const struct collector collector_stacks;
extern const struct collector collector_values, collector_values_exact;
extern const struct collector collector_waits;
extern const struct collector collector_regions;
extern const struct collector collector_probes;
extern const struct collector collector_tools;
extern const struct collector collector_trace;
extern const struct collector collector_mpi;
extern const struct collector collector_openmp;

/* The edges of a profile, which compilers' profiles need, too. */
extern const struct collector_ops collector_edges_ops;

/* Functions as regions, for --regions: see collector_add_spans. */
extern const struct collector_ops collector_spans_ops;

/* Finds the collector with this name; the error suggests the nearest name. */
struct trm_error *collector_find(const char *name,
				 const struct collector **ret_collector);

/* Combines the collectors of a comma-separated list into `ret_collector`. `list` becomes
 * its name and must outlive it. */
struct trm_error *collector_combine(const char *list, struct collector *ret_collector);

/* Makes calls of functions regions: see code/calls/spans.h. A collector that counts
 * functions alone then has blocks. */
void collector_add_spans(struct collector *collector);

/* Makes a collector that samples values, and counts nothing, one that traces the program.
 */
void collector_add_values(struct collector *collector);

/* Makes a collector one whose points call routines in the program: see
 * code/points/recipe_call.h. */
void collector_add_routines(struct collector *collector);

/* All collectors, with NULL at the end. */
extern const struct collector *const collectors[];

#endif
